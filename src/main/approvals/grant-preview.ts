import type { EventOf } from '@shared/events';
import type { GrantPreview } from '@shared/requests';
import type { RememberScope } from '@shared/states';
import { covers, grantMatch, type Rememberable } from './remember';
import { type LabelledPreview, labelsOfPreview } from './request';

/** How many past commands are shown; the counts are of all. */
const MAX_EXAMPLES = 50;

/** What of a past command a grant is judged by. */
export interface PastCall {
  readonly seq: number;
  readonly body: Pick<EventOf<'call_started'>, 'tool' | 'program' | 'digest' | 'command'> & {
    readonly preview: LabelledPreview;
  };
}

/**
 * What a grant would have covered of a session's past commands, and how many of them carry a risk label. Pure: it judges
 * the past with the very function that will judge the future.
 */
export function previewGrant(
  call: Rememberable,
  scope: RememberScope,
  past: readonly PastCall[],
  workspace: string,
): GrantPreview {
  const match = grantMatch(call, scope);
  const covered = past
    .filter(({ body }) => covers(match, { ...call, ...pick(body) }))
    .map(({ seq, body }) => ({
      seq,
      command: body.command,
      labels: labelsOfPreview(body.preview, rowsOf(body), workspace),
    }))
    .reverse();
  const risky = covered.filter(({ labels }) => labels.length > 0);
  const plain = covered.filter(({ labels }) => labels.length === 0);
  return { covered: covered.length, risky: risky.length, examples: [...risky, ...plain].slice(0, MAX_EXAMPLES) };
}

const rowsOf = ({ command }: PastCall['body']): string[] =>
  command.map(({ segments }) => segments.map(({ text }) => text).join(''));

function pick({ tool, program, digest, command }: PastCall['body']) {
  return { tool, program, digest, command };
}
