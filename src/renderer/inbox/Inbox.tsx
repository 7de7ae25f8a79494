import type { BridgeError } from '@shared/bridge';
import { CircleAlert, Inbox as InboxIcon } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { ErrorBoundary } from '../app/ErrorBoundary';
import { Grants } from '../sessions/Grants';
import { timeLeft } from '../ui/format';
import { visible } from '../ui/text';
import { Card } from './Card';
import { CompactCard } from './CompactCard';
import { useHold } from './hold';
import { requestName } from './names';
import { step } from './navigate';
import { useSteadyCard } from './steady';
import { tidy, useInbox } from './store';

const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, J: 1, ArrowDown: 1, k: -1, K: -1, ArrowUp: -1 };

export function Inbox() {
  const slots = useInbox((state) => state.slots);
  const open = useInbox((state) => state.open);
  const waiting = useInbox((state) => state.requests.length);
  const unread = useInbox((state) => state.unread);
  const region = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useHold(region);
  useSteadyCard(list, slots, open);
  const ended = slots.filter((slot) => slot.ended !== null).length;

  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target, event.key)) return;
    event.preventDefault();
    step(by);
  };

  return (
    <section ref={region} className="inbox" aria-label="Approval inbox" data-pane="inbox" onKeyDown={onKeyDown}>
      <h2>
        Approval inbox {waiting > 0 && <span className="count">{waiting}</span>}
        {ended > 0 && (
          <button type="button" className="btn quiet tiny tidy" onClick={tidy}>
            Clear {ended} settled
          </button>
        )}
      </h2>
      <div ref={list} className="cards">
        {slots.length === 0 && (unread === null ? <NothingWaits /> : <Unread error={unread} />)}
        {slots.map((slot) => {
          const { request } = slot;
          const shown = open.includes(request.id);
          return (
            <article
              key={request.id}
              data-request={request.id}
              tabIndex={-1}
              aria-label={requestName(request)}
              className={`card${shown ? ' now' : ' small'}${slot.ended === null ? '' : ' ended'}`}
            >
              <ErrorBoundary what="This request">
                {shown ? <Card slot={slot} /> : <CompactCard slot={slot} />}
              </ErrorBoundary>
            </article>
          );
        })}
        <div className="spacer" aria-hidden />
      </div>
      <Grants />
    </section>
  );
}

/** Letters belong to fields; arrows also to what scrolls and to groups of options. */
function isTyping(target: EventTarget, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('input, textarea, select') || (key.startsWith('Arrow') && target.matches('[tabindex="0"]'));
}

function Unread({ error }: { readonly error: BridgeError }) {
  return (
    <div className="nothing" role="alert">
      <CircleAlert size={22} aria-hidden />
      <p>What waits for you could not be read.</p>
      <p>{visible(error.message)}</p>
    </div>
  );
}

function NothingWaits() {
  return (
    <div className="nothing">
      <InboxIcon size={22} aria-hidden />
      <p>Nothing waits for you.</p>
      <p>When an agent wants to do something that needs your say-so, it stands here, with its time left.</p>
    </div>
  );
}

/** What waits, in the words of the window's title bar. */
export function needWords(count: number, leftMs: number): string {
  return `${count} ${count === 1 ? 'needs' : 'need'} you · ${timeLeft(leftMs)} left`;
}

/** The title of the window counts what waits, so that it shows in every list of windows. */
export function useWindowTitle(): void {
  const waiting = useInbox((state) => state.requests.length);
  useEffect(() => {
    document.title = waiting === 0 ? 'Sayso' : `(${waiting}) Sayso`;
  }, [waiting]);
}
