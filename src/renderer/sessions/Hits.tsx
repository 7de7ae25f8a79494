import type { SearchHit } from '@shared/sessions';
import { showSession } from '../app/store';
import { goToEvent } from '../timeline/visits';
import { useNow } from '../ui/clock';
import { clockTime, day } from '../ui/format';
import { oneLine, visible } from '../ui/text';
import { dayStarts } from './group';
import { moreHits, useHits } from './hits';
import { loadSession, useSessions } from './store';
import { hitWords } from './words';

/** Single events that a search found; each opens its session at that place. */
export function Hits() {
  const { query, hits, hasMore, loading, problem } = useHits();
  const typed = useSessions((state) => state.typed);
  if (query.trim() === '') return null;
  return (
    <section className="hits" aria-label="Found in journals" aria-busy={loading || typed !== query}>
      <h3>
        Found{' '}
        <span>
          {hits.length.toLocaleString('en')}
          {hasMore ? '+' : ''}
        </span>
      </h3>
      {problem !== '' && <p className="hint warn iso">{visible(problem)}</p>}
      {problem === '' && hits.length === 0 && !loading && <p className="hint">No entry has all of this.</p>}
      <ul>
        {hits.map((hit) => (
          <Hit key={hit.seq} hit={hit} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="btn tiny" disabled={loading} onClick={() => void moreHits()}>
          Show more
        </button>
      )}
    </section>
  );
}

function Hit({ hit }: { readonly hit: SearchHit }) {
  const now = useNow();
  const recent = hit.at >= dayStarts(now).yesterday;
  const go = async () => {
    if (!useSessions.getState().byId.has(hit.sessionId)) await loadSession(hit.sessionId);
    goToEvent(hit.sessionId, hit.seq);
    showSession(hit.sessionId);
  };
  return (
    <li>
      <button type="button" onClick={() => void go()}>
        <b className="iso">{oneLine(hit.title)}</b>
        <time>{recent ? clockTime(hit.at) : day(hit.at, now)}</time>
        <small>
          <span className="word">{hitWords(hit.type)}</span>{' '}
          <span className="iso">
            {hit.snippet.map((part, index) =>
              part.found ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one snippet never change places
                <mark key={index}>{visible(part.text)}</mark>
              ) : (
                visible(part.text)
              ),
            )}
          </span>
        </small>
      </button>
    </li>
  );
}
