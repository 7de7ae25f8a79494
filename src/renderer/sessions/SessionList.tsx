import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { useApp } from '../app/store';
import { useNow } from '../ui/clock';
import { visible } from '../ui/text';
import { groupSessions } from './group';
import { SessionLink } from './SessionLink';
import { loadMore, useSessions } from './store';

const GROUP_HEIGHT = 30;
const SESSION_HEIGHT = 62;
/** How many rows before the end of what is loaded the next page is asked for. */
const AHEAD = 40;

export function SessionList() {
  const { byId, found, hasMore, loading, ready, typed, query, problem } = useSessions();
  const columns = useApp((state) => state.columns);
  const focused = useApp((state) => (state.view === 'sessions' ? state.focused : null));
  const scroller = useRef<HTMLDivElement>(null);
  // The groups change with the day, not with the second.
  const day = new Date(useNow()).toDateString();

  const rows = useMemo(() => {
    const shown = found === null ? byId.values() : found.flatMap((id) => byId.get(id) ?? []);
    return groupSessions(shown, new Date(day).getTime(), hasMore);
  }, [byId, found, hasMore, day]);

  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.kind === 'group' ? GROUP_HEIGHT : SESSION_HEIGHT),
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : row.kind === 'group' ? row.name : row.session.id;
    },
    overscan: 8,
  });

  const items = list.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !loading && last >= rows.length - AHEAD) void loadMore();
  }, [hasMore, loading, last, rows.length]);

  return (
    <div ref={scroller} className="side-list" aria-busy={loading || typed !== query}>
      {problem !== null && (
        <p className="problem" role="alert">
          {byId.size === 0 ? 'The list could not be read.' : visible(problem.message)}
        </p>
      )}
      {ready && problem === null && rows.length === 0 && (
        <p className="hint">{query === '' ? 'No sessions yet.' : `Nothing found for “${query}”.`}</p>
      )}
      <div className="virtual" style={{ height: list.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={item.key}
              className="virtual-row"
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
            >
              {row.kind === 'group' ? (
                <div className={`group${row.name === 'Needs you' ? ' wait' : ''}`}>
                  <span>{row.name}</span>
                  <span>
                    {row.count.toLocaleString('en')}
                    {row.more ? '+' : ''}
                  </span>
                </div>
              ) : (
                <SessionLink
                  session={row.session}
                  current={row.session.id === focused}
                  open={columns.includes(row.session.id)}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
