import type { SessionSummary } from '@shared/sessions';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type MouseEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { EntryView } from './EntryView';
import type { Entry } from './entries';
import { SessionContext } from './session-context';
import { loadNewer, loadOlder, openNewest, reachedTarget, retryOpen, useTimelines } from './store';

/** Within this many pixels of its end the timeline follows what is new. */
const END_PX = 48;
const ESTIMATES: Partial<Record<Entry['kind'], number>> = { agent: 60, user: 44, question: 110 };
const ROW = 30;

const NO_ENTRIES: readonly Entry[] = [];

export function Timeline({ session }: { readonly session: SessionSummary }) {
  const timeline = useTimelines((state) => state[session.id]);
  const entries = timeline?.folded.entries ?? NO_ENTRIES;
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [seen, setSeen] = useState(0);
  const [paused, setPaused] = useState(false);

  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ESTIMATES[entries[index]?.kind ?? 'call'] ?? ROW,
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 12,
    paddingStart: 16,
    paddingEnd: 20,
    anchorTo: 'end',
    followOnAppend: timeline?.hasNewer !== true,
    // Below zero nothing counts as the end: what the reader opens then stays where it was clicked.
    scrollEndThreshold: paused ? -1 : END_PX,
  });

  const lastSeq = timeline?.folded.lastSeq ?? 0;
  const ready = timeline?.status === 'ready';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the newest page is there
  useEffect(() => {
    if (ready) list.scrollToEnd();
  }, [ready]);
  useEffect(() => {
    if (atEnd) setSeen(lastSeq);
  }, [atEnd, lastSeq]);

  // While it does not follow, what grows below takes the end away without a scroll that would tell.
  const size = list.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the size changes
  useLayoutEffect(() => {
    if (paused) setAtEnd(isAtEnd(scroller.current));
  }, [paused, size]);

  const items = list.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const hasOlder = timeline?.hasOlder === true;
  useEffect(() => {
    if (ready && hasOlder && first < 8 && !atEnd) void loadOlder(session.id);
  }, [ready, hasOlder, first, atEnd, session.id]);

  const hasNewer = timeline?.hasNewer === true;
  const target = timeline?.target ?? null;
  const place = target === null ? -1 : entries.findIndex((entry) => entry.key === target);
  const [shown, setShown] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every place that is gone to
  useEffect(() => {
    if (target === null || place < 0) return;
    setPaused(true);
    setShown(target);
    // After the effect above, which goes to the end of what was just loaded.
    requestAnimationFrame(() => list.scrollToIndex(place, { align: 'center' }));
    reachedTarget(session.id);
  }, [target, place]);

  const onScroll = () => {
    const end = isAtEnd(scroller.current);
    setAtEnd(end);
    if (end && hasNewer) void loadNewer(session.id);
    else if (end) setPaused(false);
  };
  const onToggle = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('[aria-expanded]') !== null) setPaused(true);
  };
  const toEnd = () => {
    setPaused(false);
    setShown(null);
    if (hasNewer) openNewest(session.id);
    requestAnimationFrame(() => list.scrollToEnd());
  };

  return (
    <div className="feed-wrap">
      <div
        ref={scroller}
        className="feed"
        role="feed"
        aria-label="Timeline"
        aria-busy={!ready || timeline.loadingOlder}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the timeline scrolls with the keyboard
        tabIndex={0}
        onScroll={onScroll}
        onClickCapture={onToggle}
      >
        {timeline?.status === 'failed' && <Failed problem={timeline.problem} retry={() => retryOpen(session.id)} />}
        {timeline?.loadingOlder === true && <p className="older">Loading what came before…</p>}
        {ready && entries.length === 0 && (
          <article className="nothing-yet hint" aria-label="Empty">
            Nothing has happened here yet.
          </article>
        )}
        <SessionContext.Provider value={session.id}>
          <div className="virtual" style={{ height: size }}>
            {items.map((item) => {
              const entry = entries[item.index];
              if (entry === undefined) return null;
              return (
                <div
                  key={item.key}
                  ref={list.measureElement}
                  data-index={item.index}
                  className={`virtual-row${entry.key === shown ? ' found' : ''}`}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <EntryView entry={entry} position={item.index + 1} total={hasOlder ? -1 : entries.length} />
                </div>
              );
            })}
          </div>
        </SessionContext.Provider>
      </div>
      {((!atEnd && seen !== lastSeq) || hasNewer) && (
        <button type="button" className="btn new-below" onClick={toEnd}>
          <ArrowDown size={13} aria-hidden /> {hasNewer ? 'To the newest' : 'New below'}
        </button>
      )}
    </div>
  );
}

function isAtEnd(element: HTMLElement | null): boolean {
  return element === null || element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
}

function Failed({ problem, retry }: { readonly problem: string; readonly retry: () => void }) {
  return (
    <div className="feed-failed" role="alert">
      <p>The journal of this session could not be read: {problem}</p>
      <button type="button" className="btn" onClick={retry}>
        Try again
      </button>
    </div>
  );
}
