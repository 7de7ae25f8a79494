import type { SessionSummary } from '@shared/sessions';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { renameSession } from './manage';

interface Props {
  readonly session: SessionSummary;
  readonly onClose: () => void;
}

export function RenameDialog({ session, onClose }: Props) {
  const [title, setTitle] = useState(session.title);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() !== '' && (await renameSession(session.id, title.trim()))) onClose();
  };
  return (
    <Dialog title="Rename the session" onClose={onClose}>
      <form className="form" onSubmit={(event) => void save(event)}>
        <label className="row-field">
          <span>Title</span>
          <input
            className="field"
            data-first
            maxLength={200}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        <footer className="form-act end">
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn primary" disabled={title.trim() === ''}>
            Rename
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
