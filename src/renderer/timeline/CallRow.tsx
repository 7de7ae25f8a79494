import { ChevronRight, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { Chip } from '../ui/Chip';
import { useNow } from '../ui/clock';
import { elapsed, timeLeft, took } from '../ui/format';
import { CommandLine } from '../ui/Tokens';
import { oneLine } from '../ui/text';
import { answerWords, ranAgain } from './Attempts';
import { CallDetail } from './CallDetail';
import type { CallEntry } from './entries';
import { opensItself } from './opens-itself';
import { allowedWords, phaseLook } from './phase';
import { readArguments, readResult } from './result';

export function CallRow({ entry }: { readonly entry: CallEntry }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? opensItself(entry);
  const look = phaseLook(entry.phase);
  const Icon = look.icon;
  const allowed = allowedWords(entry.allowed);
  const exit = exitWords(entry);

  return (
    <div className={`tool ${entry.phase.is}${open ? ' open' : ''}`}>
      <button type="button" className="row" aria-expanded={open} onClick={() => setChosen(!open)}>
        <ChevronRight size={12} className={`fold${open ? ' turned' : ''}`} aria-hidden />
        <span className={`sign ${look.tone}`} aria-hidden>
          {Icon === 'spinner' ? <LoaderCircle size={13} className="spin" /> : <Icon size={13} strokeWidth={2.25} />}
        </span>
        <span className="name">{oneLine(entry.tool)}</span>
        <Target entry={entry} />
        <span className="chips">
          {look.words !== '' && (
            <Chip tone={look.tone} title={look.words}>
              {look.words}
            </Chip>
          )}
          {exit !== null && <Chip tone="bad">{exit}</Chip>}
          <Again entry={entry} />
          {allowed !== null && <Chip tone={entry.allowed?.by === 'operator' ? 'ok' : 'plain'}>{allowed}</Chip>}
        </span>
        <Time entry={entry} />
      </button>
      {open && <CallDetail entry={entry} />}
    </div>
  );
}

/** What the call is about, in one line: its command, or the file or the arguments that it names. */
function Target({ entry }: { readonly entry: CallEntry }) {
  if (entry.preview?.kind === 'command' && entry.command !== null) return <CommandLine command={entry.command} />;
  if (entry.command !== null && entry.command.length > 1) return <CommandLine command={entry.command.slice(1)} />;
  const rows = entry.inputText === null ? null : readArguments(entry.inputText);
  const text = rows === null ? (entry.inputText ?? '') : rows.map((row) => row.value).join(' ');
  return <span className="line mono iso">{oneLine(text.slice(0, 400))}</span>;
}

/** That it ran again with more than the agent file allows, or why it did not. */
function Again({ entry }: { readonly entry: CallEntry }) {
  const last = entry.attempts.at(-1)?.answer;
  if (ranAgain(entry) && entry.allows.length > 0) return <Chip tone="wait">allowed more, once</Chip>;
  if (!last || last.outcome === 'approved' || entry.phase.is === 'waiting') return null;
  return <Chip tone={last.outcome === 'declined' ? 'bad' : 'stop'}>not again: {oneLine(answerWords(last))}</Chip>;
}

function exitWords(entry: CallEntry): string | null {
  if (entry.result === null || entry.result.isError || entry.phase.is !== 'ok') return null;
  const result = readResult(entry.result.content, entry.preview);
  return result.is === 'command' && result.exitCode !== 0
    ? result.exitCode === null
      ? 'killed'
      : `exit ${result.exitCode}`
    : null;
}

function Time({ entry }: { readonly entry: CallEntry }) {
  if (entry.phase.is === 'running') return <Running since={entry.phase.since} />;
  if (entry.phase.is === 'waiting') return <Waiting expiresAt={entry.phase.expiresAt} />;
  const settled = entry.phase.is === 'ok' || entry.phase.is === 'error';
  return <time>{settled && entry.durationMs !== null ? took(entry.durationMs) : ''}</time>;
}

function Running({ since }: { readonly since: number }) {
  return <time>{elapsed(useNow() - since)}</time>;
}

function Waiting({ expiresAt }: { readonly expiresAt: number }) {
  return <time className="wait">{timeLeft(expiresAt - useNow())}</time>;
}
