import type { StopReason } from '@shared/events';
import { Chip } from '../ui/Chip';
import { clockTime } from '../ui/format';
import { Markdown, StreamingMarkdown } from '../ui/Markdown';
import type { AgentEntry } from './entries';

const STOPPED: Partial<Record<StopReason, string>> = {
  max_tokens: 'cut off by the output limit',
  refusal: 'the model refused to go on',
};

export function AgentText({ entry }: { readonly entry: AgentEntry }) {
  const stopped = entry.stop === null ? undefined : STOPPED[entry.stop];
  return (
    <div className={`msg${entry.live ? ' live' : ''}`}>
      <span title={clockTime(entry.at)}>Agent</span>
      <div className="prose iso">
        {entry.live ? <StreamingMarkdown text={entry.text} /> : <Markdown text={entry.text} />}
        {stopped !== undefined && <Chip tone="bad">{stopped}</Chip>}
      </div>
    </div>
  );
}
