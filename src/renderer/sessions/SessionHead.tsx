import type { SessionSummary } from '@shared/sessions';
import { isResumable, isTerminal } from '@shared/states';
import { X } from 'lucide-react';
import { useState } from 'react';
import { closeColumn, notifyError, showSession } from '../app/store';
import { ask } from '../ui/bridge';
import { Chip } from '../ui/Chip';
import { useNow } from '../ui/clock';
import { cost, elapsed, plural, tokens } from '../ui/format';
import { lookOf } from '../ui/state';
import { oneLine } from '../ui/text';
import { BesideButton } from './BesideButton';
import { useGoOn } from './go-on';
import { SandboxChip } from './SandboxChip';
import { SessionMenu } from './SessionMenu';
import { useSessions } from './store';
import { MODE_WORDS } from './words';

interface Props {
  readonly session: SessionSummary;
  readonly titleId: string;
  readonly alone: boolean;
}

export function SessionHead({ session, titleId, alone }: Props) {
  const { word, tone, icon: Icon } = lookOf(session.state);
  const title = oneLine(session.title);
  return (
    <div className="head">
      <h1 id={titleId} className="iso" title={title}>
        {title}
      </h1>
      <div className="head-act">
        <BesideButton id={session.id} />
        <RunButtons session={session} />
        <SessionMenu session={session} />
        {!alone && (
          <button
            type="button"
            className="btn quiet icon"
            aria-label="Close this column"
            title="Close this column"
            onClick={() => closeColumn(session.id)}
          >
            <X size={14} aria-hidden />
          </button>
        )}
      </div>
      <div className="meta">
        <span role="status" aria-label="Run status" className={`chip ${tone}`}>
          <Icon size={11} strokeWidth={2.5} aria-hidden /> {word}
        </span>
        <Why session={session} />
        <span className="iso" title="Agent">
          {oneLine(session.agent)}
        </span>
        <span className="mono path iso" title={`Workspace: ${session.workspace}`}>
          {oneLine(session.workspace)}
        </span>
        <Chip title={MODE_WORDS[session.mode].explanation}>{MODE_WORDS[session.mode].chip}</Chip>
        <SandboxChip sessionId={session.id} />
        <span>{plural(session.turns, 'turn')}</span>
        <span className="spent" title={`${session.tokens.toLocaleString('en')} tokens, in and out`}>
          {tokens(session.tokens)} tokens
        </span>
        {session.tokens > 0 && (
          <span title={session.costUsd === null ? 'No price is known for this model' : undefined}>
            {cost(session.costUsd)}
          </span>
        )}
        <WorkingTime session={session} />
        <Decisions session={session} />
        <Origin session={session} />
      </div>
    </div>
  );
}

/** For an ended run: why it ended, which is more than its state says. */
function Why({ session }: { readonly session: SessionSummary }) {
  const telling = session.state === 'failed' || session.state === 'budget' || session.state === 'interrupted';
  if (!telling || session.detail === '') return null;
  return <span className="why iso">{oneLine(session.detail)}</span>;
}

function WorkingTime({ session }: { readonly session: SessionSummary }) {
  const now = useNow();
  const runs = !isTerminal(session.state) && session.state !== 'waiting';
  const ms = session.workingMs + (runs ? Math.max(0, now - session.updatedAt) : 0);
  return <span title="Working time, without the time spent waiting for you">{elapsed(ms)}</span>;
}

function Decisions({ session: { approved, denied } }: { readonly session: SessionSummary }) {
  if (approved + denied === 0) return null;
  return (
    <span title="Requests that were approved or answered, and calls that were not carried out">
      {approved} approved · {denied} denied
    </span>
  );
}

const ORIGINS = { fork: 'forked from', clear: 'after' } as const;

function Origin({ session: { origin } }: { readonly session: SessionSummary }) {
  const known = useSessions((state) => origin !== null && state.byId.has(origin.sessionId));
  if (origin === null) return null;
  const words = `${ORIGINS[origin.kind]} “${oneLine(origin.title)}”`;
  if (!known) return <span className="iso">{words}</span>;
  return (
    <button type="button" className="btn tiny iso" onClick={() => showSession(origin.sessionId)}>
      {words}
    </button>
  );
}

function RunButtons({ session }: { readonly session: SessionSummary }) {
  const [busy, setBusy] = useState(false);
  const stop = async () => {
    setBusy(true);
    const result = await ask('stopRun', { sessionId: session.id });
    setBusy(false);
    if (!result.ok) notifyError(result.error);
  };
  const goOn = useGoOn({
    session,
    action: 'Resume anyway',
    attempt: (how) => ask('resumeSession', { sessionId: session.id, ...how }),
    onProblem: notifyError,
  });
  if (!isTerminal(session.state)) {
    return (
      <button type="button" className="btn" disabled={busy} onClick={() => void stop()}>
        Stop
      </button>
    );
  }
  if (!isResumable(session.state)) return null;
  return (
    <>
      <button type="button" className="btn" disabled={goOn.busy} onClick={goOn.start}>
        Resume
      </button>
      {goOn.dialog}
    </>
  );
}
