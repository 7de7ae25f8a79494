import type { SessionSummary } from '@shared/sessions';
import { Entries } from './Entries';
import { SessionContext } from './session-context';
import { useTimelines } from './state';
import { retry } from './visits';

/** What happened in a session, or that it is being read, or why it cannot be. */
export function Timeline({ session }: { readonly session: SessionSummary }) {
  const timeline = useTimelines((state) => state[session.id]);
  return (
    <div className="feed-wrap">
      {timeline !== undefined && timeline.problem !== '' && (
        <Failed problem={timeline.problem} onRetry={() => retry(session.id)} />
      )}
      {timeline?.status === 'ready' ? (
        <SessionContext.Provider value={session.id}>
          {/* Another place in the journal is another list: nothing of the one before is measured for it. */}
          <Entries key={timeline.window} id={session.id} timeline={timeline} />
        </SessionContext.Provider>
      ) : (
        <div className="feed" role="feed" aria-label="Timeline" aria-busy={timeline?.status !== 'failed'} />
      )}
    </div>
  );
}

function Failed({ problem, onRetry }: { readonly problem: string; readonly onRetry: () => void }) {
  return (
    <div className="feed-failed" role="alert">
      <p>The journal of this session could not be read: {problem}</p>
      <button type="button" className="btn" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
