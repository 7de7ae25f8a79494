import type { SessionSummary } from '@shared/sessions';
import { isTerminal } from '@shared/states';
import { type MouseEvent, memo, useId } from 'react';
import { showBeside, showSession } from '../app/store';
import { useNow } from '../ui/clock';
import { clockTime, cost, day, elapsedShort, plural, timeLeft } from '../ui/format';
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
    </a>
  );
});

function detailOf(session: SessionSummary): string {
  const agent = oneLine(session.agent);
  if (saysMore(session.detail)) return `${agent} · ${oneLine(session.detail)}`;
  const spent = session.costUsd === null ? [] : [cost(session.costUsd)];
  return [agent, plural(session.turns, 'turn'), ...spent].join(' · ');
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
