import type { ToolUseBlock } from '@shared/events';
import type { ModelReply } from '../models/model';

/** Why a reply is not to be acted on, or null. Calls run only out of a reply that ended by asking for them. */
export function brokenReply({ stopReason }: ModelReply, calls: readonly ToolUseBlock[], limit: number): string | null {
  if (stopReason === 'max_tokens') return `the reply was cut off at the output limit of ${limit} tokens`;
  if (stopReason === 'refusal') return 'the model refused to answer';
  if (calls.length > 0 && stopReason !== 'tool_use')
    return `the reply ended with "${stopReason}" in the middle of its calls`;
  if (new Set(calls.map((call) => call.id)).size !== calls.length) return 'the reply used one call id twice';
  return null;
}
