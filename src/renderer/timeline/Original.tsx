import type { CallId } from '@shared/ids';
import { useContext, useEffect, useState } from 'react';
import { ask } from '../ui/bridge';
import { terminalText } from '../ui/text';
import { SessionContext } from './session-context';

/** How the main process marks the place of a secret that it took out. */
const REMOVED = '⟦removed: ';

interface Props {
  readonly callId: CallId;
  /** What is shown in its place; a change of it means that there is more to see. */
  readonly shown: string;
}

/** What a running command really prints, for the operator alone: never on record, and gone when the command ends. */
export function Original({ callId, shown }: Props) {
  const sessionId = useContext(SessionContext);
  const [open, setOpen] = useState(false);
  const [text, setText] = useState<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: more was printed when what is shown has changed
  useEffect(() => {
    if (!open || sessionId === null) return;
    let current = true;
    void ask('readOriginalOutput', { sessionId, callId }).then((result) => {
      if (current) setText(result.ok ? result.value.text : null);
    });
    return () => {
      current = false;
    };
  }, [open, sessionId, callId, shown]);

  if (!shown.includes(REMOVED)) return null;
  return (
    <div className="original">
      <button type="button" className="btn" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide original' : 'Show original'}
      </button>
      <span className="hint small">
        Something secret was removed. You can see it while the command runs; it is not kept.
      </span>
      {open && text !== null && <pre className="out">{terminalText(text)}</pre>}
    </div>
  );
}
