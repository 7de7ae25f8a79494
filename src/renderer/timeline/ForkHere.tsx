import { GitBranch } from 'lucide-react';
import { useContext } from 'react';
import { notify } from '../app/store';
import { forkSession } from '../sessions/manage';
import type { Entry } from './entries';
import { eventsOf } from './pages';
import { seqOf } from './places';
import { SessionContext } from './session-context';
import { useTimelines } from './state';

/** Begins a new session with everything up to this entry. */
export function ForkHere({ entry }: { readonly entry: Entry }) {
  const sessionId = useContext(SessionContext);
  const fork = () => {
    if (sessionId === null) return;
    const seq = seqOf(eventsOf(useTimelines.getState()[sessionId]?.pages ?? []), entry);
    if (seq === null) notify('info', 'This is not over yet.', 'Fork from it when it is.');
    else void forkSession(sessionId, seq);
  };
  return (
    <button
      type="button"
      className="btn quiet icon fork-here"
      aria-label="Fork from here"
      title="Fork from here"
      onClick={fork}
    >
      <GitBranch size={12} aria-hidden />
    </button>
  );
}
