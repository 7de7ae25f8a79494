import type { Settlement } from '@shared/requests';
import { Check, Clock, Hand, X } from 'lucide-react';
import { Chip } from '../ui/Chip';
import { useNow } from '../ui/clock';
import { timeLeft, took } from '../ui/format';
import { oneLine, visible } from '../ui/text';
import type { QuestionEntry } from './entries';
import { denialWords } from './phase';

export function Question({ entry }: { readonly entry: QuestionEntry }) {
  const { settled } = entry;
  return (
    <div className={`tool question open ${settled === null ? 'waiting' : ''}`}>
      <div className="row">
        <Sign settlement={settled?.settlement ?? null} />
        <span className="name">{oneLine(entry.tool)}</span>
        <span />
        <span className="chips">
          {settled === null ? <Chip tone="wait">waiting for you</Chip> : <How entry={entry} settled={settled} />}
        </span>
        {settled === null && <Left expiresAt={entry.expiresAt} />}
      </div>
      <p className="asked iso">{visible(entry.question)}</p>
      {settled?.settlement.answer !== undefined && (
        <p className="answered iso">{answerWords(entry, settled.settlement)}</p>
      )}
    </div>
  );
}

function Sign({ settlement }: { readonly settlement: Settlement | null }) {
  if (settlement === null) return <Hand size={13} className="sign wait" aria-hidden />;
  if (settlement.by === 'operator') return <Check size={13} className="sign ok" aria-hidden />;
  return settlement.by === 'clock' ? (
    <Clock size={13} className="sign stop" aria-hidden />
  ) : (
    <X size={13} className="sign stop" aria-hidden />
  );
}

function Left({ expiresAt }: { readonly expiresAt: number }) {
  return <time className="wait">{timeLeft(expiresAt - useNow())}</time>;
}

function How({
  entry,
  settled,
}: {
  readonly entry: QuestionEntry;
  readonly settled: NonNullable<QuestionEntry['settled']>;
}) {
  const { outcome, by, reason } = settled.settlement;
  if (by === 'operator') return <Chip tone="ok">answered by you · {took(settled.afterMs)}</Chip>;
  if (outcome === 'approved') return <Chip>{entry.form.form === 'confirm' ? 'answered by the mode' : 'answered'}</Chip>;
  return <Chip tone="stop">{denialWords(outcome, reason ?? '')}</Chip>;
}

/** The answer in words, with the operator's reason where there is one. */
export function answerWords(entry: Pick<QuestionEntry, 'form'>, settlement: Settlement): string {
  const { answer } = settlement;
  if (answer === undefined) return '';
  const reason = 'reason' in answer && answer.reason !== undefined ? ` · “${visible(answer.reason)}”` : '';
  switch (answer.type) {
    case 'confirm':
      return `${answer.confirmed ? 'Yes' : 'No'}${reason}`;
    case 'select': {
      if (answer.selected === null) return `None of these${reason}`;
      const chosen = entry.form.form === 'select' ? entry.form.options[answer.selected] : undefined;
      return `${visible(chosen ?? `option ${answer.selected + 1}`)}${reason}`;
    }
    case 'input':
      return `${answer.value === null ? 'No answer' : answer.value === '' ? '(empty)' : visible(answer.value)}${reason}`;
    case 'approve':
      return 'Approved';
    case 'decline':
      return `Declined${reason}`;
  }
}
