import type { Allowance } from '@shared/allowances';
import { Allowances } from '../ui/Allowances';
import { took } from '../ui/format';
import { exact } from '../ui/text';
import type { Attempt, CallEntry } from './entries';
import { Printed } from './Printed';
import { readResult } from './result';

/** Whether the newest run of a call is none of its attempts: it runs, or came to the call's result. */
export function ranAgain({ starts, attempts }: CallEntry): boolean {
  return starts > attempts.length;
}

/** The runs of a call that the sandbox kept from something, what was asked after each, and what the next one may do. */
export function Attempts({ entry }: { readonly entry: CallEntry }) {
  const { attempts } = entry;
  if (attempts.length === 0) return null;
  return (
    <>
      {attempts.map((attempt, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the runs of a call never change places
        <section key={index} className="attempt" aria-label={`Run ${index + 1}`}>
          <Head
            number={index + 1}
            allows={attempt.allows}
            how={`exit ${attempt.exitCode} · ${took(attempt.durationMs)}`}
          />
          <Output attempt={attempt} entry={entry} />
          <div className="asked-again">
            <p>
              Asked whether it may run again, and also: <b>{answerOf(attempt, entry)}</b>
            </p>
            <Allowances allowances={attempt.asks} />
          </div>
        </section>
      ))}
      {ranAgain(entry) && (
        <section className="attempt" aria-label={`Run ${attempts.length + 1}`}>
          <Head number={attempts.length + 1} allows={entry.allows} how={null} />
        </section>
      )}
    </>
  );
}

interface HeadProps {
  readonly number: number;
  readonly allows: readonly Allowance[];
  readonly how: string | null;
}

function Head({ number, allows, how }: HeadProps) {
  return (
    <div className="attempt-head">
      <b>Run {number}</b>
      {how !== null && <span className="how">{how}</span>}
      {allows.length > 0 && (
        <div className="more">
          <span className="warn">also allowed, this once:</span>
          <Allowances allowances={allows} />
        </div>
      )}
    </div>
  );
}

function Output({ attempt, entry }: { readonly attempt: Attempt; readonly entry: CallEntry }) {
  const result = readResult(attempt.content, entry.preview);
  const text = result.is === 'command' ? result.output : result.text;
  return text === '' ? (
    <p className="hint small">It printed nothing.</p>
  ) : (
    <Printed text={text} live={false} bad={false} />
  );
}

/** How the question whether a command may run again ended. Only a decline is the operator's decision. */
export function answerWords({ outcome, words }: NonNullable<Attempt['answer']>): string {
  switch (outcome) {
    case 'approved':
      return 'approved by you';
    case 'declined':
      return `declined by you${words === '' ? '' : ` · “${exact(words)}”`}`;
    case 'expired':
      return 'expired: nobody answered';
    case 'stopped':
      return 'the run was stopped';
    case 'interrupted':
      return 'interrupted: no decision was made';
    case 'no-operator':
    case 'readonly':
    case 'failed':
      return 'it could not be asked';
  }
}

function answerOf({ answer }: Attempt, { phase }: CallEntry): string {
  if (answer !== null) {
    const after = answer.outcome === 'approved' || answer.outcome === 'declined' ? ` · ${took(answer.afterMs)}` : '';
    return `${answerWords(answer)}${after}`;
  }
  return phase.is === 'waiting' ? 'waiting for you' : 'not answered';
}
