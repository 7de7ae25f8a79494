import type { Removal, SessionSummary } from '@shared/sessions';
import { useEffect, useState } from 'react';
import { ask } from '../ui/bridge';
import { Dialog } from '../ui/Dialog';
import { oneLine, visible } from '../ui/text';
import { deleteSession } from './manage';
import { removalWords, stayWords } from './words';

interface Props {
  readonly session: SessionSummary;
  readonly onClose: () => void;
}

/** Says what goes before it goes: there is no way back. */
export function DeleteDialog({ session, onClose }: Props) {
  const [removal, setRemoval] = useState<Removal | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void ask('measureRemoval', { sessionIds: [session.id] }).then((result) => {
      if (result.ok) setRemoval(result.value.removal);
      else setProblem(result.error.message);
    });
  }, [session.id]);

  const remove = async () => {
    setBusy(true);
    if (await deleteSession(session.id)) onClose();
    else setBusy(false);
  };
  return (
    <Dialog title="Delete the session" onClose={onClose}>
      <div className="form">
        <p className="iso">“{oneLine(session.title)}” is removed from this computer for good.</p>
        {removal !== null && <p role="status">{removalWords(removal)}</p>}
        {problem !== '' && <p className="problem iso">{visible(problem)}</p>}
        {removal !== null && (
          <ul className="hint stays" aria-label="What stays">
            {stayWords(removal).map((words) => (
              <li key={words} className="iso">
                {words}
              </li>
            ))}
            <li>Files that its agent made stay where they are; Sayso’s own backup is made anew without it.</li>
          </ul>
        )}
        <footer className="form-act end">
          <button type="button" className="btn" data-first onClick={onClose}>
            Keep it
          </button>
          <button
            type="button"
            className="btn danger"
            disabled={busy || removal === null}
            onClick={() => void remove()}
          >
            Delete for good
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
