import type { SessionSummary } from '@shared/sessions';
import { isTerminal } from '@shared/states';
import { Check, X } from 'lucide-react';
import { type MouseEvent, memo, useId } from 'react';
import { showBeside, showSession } from '../app/store';
import { useNow } from '../ui/clock';
import { clockTime, cost, day, elapsed, elapsedShort, plural, timeLeft, tokens } from '../ui/format';
import { lookOf, StateMark } from '../ui/state';
import { oneLine } from '../ui/text';
import { dayStarts } from './group';
import { saysMore } from './words';

interface Props {
  readonly session: SessionSummary;
  readonly current: boolean;
  /** Stands in a column of its own beside the current one. */
  readonly open: boolean;
}

export const SessionLink = memo(function SessionLink({ session, current, open }: Props) {
  const titleId = useId();
  const detailId = useId();
  const { word, short = word, tone } = lookOf(session.state);
  const title = oneLine(session.title);
  const detail = detailOf(session);

  const go = (event: MouseEvent) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) showBeside(session.id);
    else showSession(session.id);
  };

  return (
    <a
      href={`#${session.id}`}
      className={`item${current ? ' on' : open ? ' beside' : ''}`}
      aria-labelledby={titleId}
      aria-describedby={detailId}
      aria-current={current ? 'page' : undefined}
      draggable={false}
      onClick={go}
    >
      <StateMark state={session.state} />
      <b id={titleId} className="iso" title={title}>
        {title}
      </b>
      <When session={session} />
      <small id={detailId} title={`${word} · ${detail}`}>
        <span className={`word ${tone}`}>{short}</span> · <span className="iso">{detail}</span>
      </small>
      <Spent session={session} />
    </a>
  );
});

function detailOf(session: SessionSummary): string {
  const agent = oneLine(session.agent);
  return saysMore(session.detail) ? `${agent} · ${oneLine(session.detail)}` : agent;
}

/** What it came to so far, in few characters; in words for who points at it or has it read out. */
function Spent({ session }: { readonly session: SessionSummary }) {
  const { turns, approved, denied, costUsd, workingMs } = session;
  if (session.tokens === 0)
    return <small className="spent">{isTerminal(session.state) ? 'nothing spent' : 'just begun'}</small>;
  const spent = costUsd === null ? 'cost unknown' : cost(costUsd);
  const words = `${plural(turns, 'turn')}, ${tokens(session.tokens)} tokens, ${spent}, ${elapsed(workingMs)} of work, ${approved} approved, ${denied} denied`;
  return (
    <small className="spent" title={words}>
      <span className="sr-only">{words}</span>
      <span aria-hidden>{tokens(session.tokens)} tok</span>
      {costUsd !== null && <span aria-hidden>{cost(costUsd)}</span>}
      <span aria-hidden>{elapsed(workingMs)}</span>
      {approved > 0 && (
        <span aria-hidden>
          <Check size={10} strokeWidth={2.5} /> {approved}
        </span>
      )}
      {denied > 0 && (
        <span aria-hidden>
          <X size={10} strokeWidth={2.5} /> {denied}
        </span>
      )}
    </small>
  );
}

function When({ session }: { readonly session: SessionSummary }) {
  const now = useNow();
  if (session.nextExpiryAt !== null) return <time className="wait">{timeLeft(session.nextExpiryAt - now)}</time>;
  if (!isTerminal(session.state)) {
    return <time>{elapsedShort(session.workingMs + Math.max(0, now - session.updatedAt))}</time>;
  }
  return (
    <time>
      {session.updatedAt >= dayStarts(now).yesterday ? clockTime(session.updatedAt) : day(session.updatedAt, now)}
    </time>
  );
}
