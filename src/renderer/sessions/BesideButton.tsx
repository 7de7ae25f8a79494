import type { SessionId } from '@shared/ids';
import { Columns2 } from 'lucide-react';
import { columnsThatFit, showBeside, useApp } from '../app/store';
import { useInbox } from '../inbox/store';
import { useSessions } from './store';

/** Puts the session that needs the operator most, else the one that moved last, beside this one. */
export function BesideButton({ id }: { readonly id: SessionId }) {
  const columns = useApp((state) => state.columns);
  const first = columns[0] === id;
  const possible = useSessions((state) => state.byId.size > columns.length);
  if (!first || !possible || columns.length >= columnsThatFit()) return null;

  const open = () => {
    const waiting = useInbox.getState().requests.map((request) => request.sessionId);
    const recent = [...useSessions.getState().byId.values()]
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .map((session) => session.id);
    const next = [...waiting, ...recent].find((other) => !columns.includes(other));
    if (next !== undefined) showBeside(next);
  };
  return (
    <button
      type="button"
      className="btn quiet icon"
      aria-label="Open another session beside"
      title="Open another session beside (or Ctrl-click one in the list)"
      onClick={open}
    >
      <Columns2 size={14} aria-hidden />
    </button>
  );
}
