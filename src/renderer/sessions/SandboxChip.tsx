import type { SessionId } from '@shared/ids';
import { useId } from 'react';
import { showView } from '../app/store';
import { visible } from '../ui/text';
import { HOLD_LOOK, PROTECTIONS, protectionWords } from './protections';
import { useRunSandbox } from './run-sandbox';

/**
 * Which protections hold for the runs of a session, its agent file counted in: the label says it in short, the list under
 * it one by one, the settings what this machine offers.
 */
export function SandboxChip({ sessionId }: { readonly sessionId: SessionId }) {
  const sandbox = useRunSandbox(sessionId);
  const id = useId();
  if (sandbox === undefined || sandbox === null) return null;
  const whole = PROTECTIONS.every((name) => sandbox[name] === 'enforced');
  return (
    <span className="tip-host">
      <button
        type="button"
        className={`chip ${whole ? 'ok' : 'plain'}`}
        aria-describedby={id}
        onClick={() => showView('settings')}
      >
        sandbox: {visible(sandbox.label)}
      </button>
      <span id={id} role="tooltip" className="tip">
        {PROTECTIONS.map((name) => (
          <span key={name} className={HOLD_LOOK[sandbox[name]].tone}>
            {HOLD_LOOK[sandbox[name]].sign} {protectionWords(name, sandbox)}
          </span>
        ))}
      </span>
    </span>
  );
}
