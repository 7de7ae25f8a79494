import { memo, type ReactNode } from 'react';
import { AgentText } from './AgentText';
import { CallRow } from './CallRow';
import { Compacted } from './Compacted';
import type { Entry } from './entries';
import { ForkHere } from './ForkHere';
import { Line } from './Line';
import { canFork } from './places';
import { Question } from './Question';
import { RunEnd, RunStart } from './RunLines';
import { Thinking } from './Thinking';
import { UserText } from './UserText';

interface Props {
  readonly entry: Entry;
  readonly position: number;
  /** -1 while not all entries are loaded, as the feed role wants it. */
  readonly total: number;
}

/** One entry, whatever its kind, as an article of the feed. Its place changes with every page; what it shows does not. */
export function EntryView({ entry, position, total }: Props) {
  return (
    <article aria-posinset={position} aria-setsize={total} aria-label={labelOf(entry)}>
      <Content entry={entry} />
    </article>
  );
}

/** Entries that did not change are not drawn again. */
const Content = memo(function Content({ entry }: Pick<Props, 'entry'>) {
  return (
    <>
      {contentOf(entry)}
      {canFork(entry) && <ForkHere entry={entry} />}
    </>
  );
});

function contentOf(entry: Entry): ReactNode {
  switch (entry.kind) {
    case 'user':
      return <UserText entry={entry} />;
    case 'agent':
      return <AgentText entry={entry} />;
    case 'thinking':
      return <Thinking entry={entry} />;
    case 'call':
      return <CallRow entry={entry} />;
    case 'question':
      return <Question entry={entry} />;
    case 'compacted':
      return <Compacted entry={entry} />;
    case 'run-start':
      return <RunStart entry={entry} />;
    case 'run-end':
      return <RunEnd entry={entry} />;
    case 'asking':
    case 'retry':
    case 'grant':
    case 'notice':
      return <Line entry={entry} />;
  }
}

function labelOf(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
      return 'You';
    case 'agent':
      return 'Agent';
    case 'thinking':
      return 'Thinking';
    case 'call':
      return `Call: ${entry.tool}`;
    case 'question':
      return 'Question for you';
    case 'asking':
      return entry.wanted === 'reply' ? 'Waiting for the model' : 'Summarising older turns';
    case 'retry':
      return 'Asked again';
    case 'grant':
      return 'Remembered approval';
    case 'notice':
      return 'Notice';
    case 'compacted':
      return 'Older turns summarised';
    case 'run-start':
      return 'Run started';
    case 'run-end':
      return 'Run ended';
  }
}
