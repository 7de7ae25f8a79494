import type { SessionId } from '@shared/ids';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { EntryView } from './EntryView';
import { estimateHeight } from './estimate';
import { follow } from './paging';
import type { TimelineState } from './state';
import {
  firstOffset,
  keepFocus,
  rememberView,
  useForgottenSizes,
  useKeptFocus,
  usePages,
  useVisit,
  view,
} from './use-pages';
import { openNewest, openOldest } from './visits';

/** Within this many pixels of its end the timeline follows what is new. */
const END_PX = 48;
const [ABOVE, BELOW] = [16, 20];

interface Props {
  readonly id: SessionId;
  readonly timeline: TimelineState;
}

/** The loaded part of a timeline: it follows what is new, or stays where the reader is. */
export function Entries({ id, timeline }: Props) {
  const { hasOlder, hasNewer, loading } = timeline;
  const { entries, lastSeq } = timeline.folded;
  const shown = typeof timeline.place === 'string' ? null : timeline.place.entry;
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [seen, setSeen] = useState(0);
  const [paused, setPaused] = useState(timeline.place !== 'end');
  const estimateSize = (index: number) => {
    const entry = entries[index];
    return entry === undefined ? 0 : estimateHeight(entry, view.width);
  };

  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey: (index) => entries[index]?.key ?? index,
    initialOffset: () => firstOffset(timeline, ABOVE + BELOW, estimateSize),
    initialRect: view,
    overscan: 8,
    paddingStart: ABOVE,
    paddingEnd: BELOW,
    anchorTo: 'end',
    followOnAppend: !hasNewer,
    // Below zero nothing counts as the end: what the reader opens then stays where it was clicked.
    scrollEndThreshold: paused ? -1 : END_PX,
  });

  useEffect(() => {
    if (atEnd) setSeen(lastSeq);
  }, [atEnd, lastSeq]);
  useEffect(() => follow(id, atEnd && !paused ? 'followed' : 'left'), [id, atEnd, paused]);

  // While it does not follow, what grows below takes the end away without a scroll that would tell.
  const size = list.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the size changes
  useLayoutEffect(() => {
    if (paused) setAtEnd(isAtEnd(scroller.current));
  }, [paused, size]);

  const arrived = useVisit(list, timeline, (place) => setPaused(place !== 'end'));
  usePages(list, timeline, id, arrived);
  useForgottenSizes(list, entries);
  useKeptFocus(id, scroller);
  useEffect(() => rememberView(list.scrollRect));

  const onScroll = () => {
    const end = isAtEnd(scroller.current);
    setAtEnd(end);
    if (end && !hasNewer) setPaused(false);
  };
  const onToggle = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('[aria-expanded]') !== null) setPaused(true);
  };
  const toEnd = () => {
    setPaused(false);
    // The button goes.
    scroller.current?.focus({ preventScroll: true });
    if (hasNewer) {
      keepFocus(id);
      openNewest(id);
    } else requestAnimationFrame(() => list.scrollToEnd());
  };

  /** The ends are those of the journal, not of what is loaded of it. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.repeat) return;
    if (event.key === 'Home' && hasOlder) void openOldest(id);
    else if (event.key === 'End' && hasNewer) openNewest(id);
    else return;
    keepFocus(id);
    event.preventDefault();
  };

  return (
    <>
      <div
        ref={scroller}
        className="feed"
        role="feed"
        aria-label="Timeline"
        aria-busy={loading !== null}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the timeline scrolls with the keyboard
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        onClickCapture={onToggle}
      >
        {loading === 'older' && <p className="older">Loading what came before…</p>}
        {entries.length === 0 && (
          <article className="nothing-yet hint" aria-label="Empty">
            Nothing has happened here yet.
          </article>
        )}
        <div className="virtual" style={{ height: size }}>
          {list.getVirtualItems().map((item) => {
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
                <EntryView entry={entry} position={item.index + 1} total={hasOlder || hasNewer ? -1 : entries.length} />
              </div>
            );
          })}
        </div>
      </div>
      {((!atEnd && seen !== lastSeq) || hasNewer) && (
        <button type="button" className="btn new-below" onClick={toEnd}>
          <ArrowDown size={13} aria-hidden /> {hasNewer ? 'To the newest' : 'New below'}
        </button>
      )}
    </>
  );
}

function isAtEnd(element: HTMLElement | null): boolean {
  return element === null || element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
}
