import type { BridgeError } from '@shared/bridge';
import { Dialog } from '../ui/Dialog';
import { visible } from '../ui/text';

interface Props {
  readonly error: BridgeError;
  /** What goes on if the operator says so. */
  readonly action: string;
  readonly onGoOn: () => void;
  readonly onClose: () => void;
}

/** The agent is not what it was when the session began: the operator says whether to go on with it all the same. */
export function AgentChanged({ error, action, onGoOn, onClose }: Props) {
  return (
    <Dialog title="The agent has changed" onClose={onClose}>
      <div className="form">
        <p className="iso">{visible(error.message)}</p>
        {error.remedy !== undefined && <p className="hint iso">{visible(error.remedy)}</p>}
        <footer className="form-act end">
          <button type="button" className="btn" onClick={onClose}>
            Leave it
          </button>
          <button type="button" className="btn primary" onClick={onGoOn}>
            {action}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
