import { MODE_WORDS, saysMore } from '../sessions/words';
import { clockTime } from '../ui/format';
import { lookOf, StateMark } from '../ui/state';
import { oneLine, visible } from '../ui/text';
import type { RunEndEntry, RunStartEntry } from './entries';

export function RunStart({ entry }: { readonly entry: RunStartEntry }) {
  return (
    <div className="rule">
      <span>
        {entry.resumed ? 'Continued' : 'New run'} at {clockTime(entry.at)} · {oneLine(entry.agent)} ·{' '}
        {oneLine(entry.model)} · {MODE_WORDS[entry.mode].chip}
      </span>
    </div>
  );
}

export function RunEnd({ entry }: { readonly entry: RunEndEntry }) {
  const { word, tone } = lookOf(entry.state);
  return (
    <div className={`run-end ${tone}`}>
      <StateMark state={entry.state} />
      <b>{word}</b>
      {saysMore(entry.reason) && <span className="iso">{visible(entry.reason)}</span>}
      <time>{clockTime(entry.at)}</time>
    </div>
  );
}
