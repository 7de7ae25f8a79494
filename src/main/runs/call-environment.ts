import type { ToolUseBlock } from '@shared/events';
import type { Denial } from '@shared/states';
import { type DenialDetails, denial } from '../approvals/denial';
import type { Grants } from '../approvals/grants';
import type { Inbox } from '../approvals/inbox';
import type { UnallowedThings } from '../approvals/wider';
import type { Redactor } from '../tools/redaction/redactor';
import type { Tool, ToolContext } from '../tools/tool';
import type { LiveOriginals } from './live-originals';
import type { RunRecord } from './run-record';
import type { RunSettings } from './settings';
import { type Shown, spelledCall } from './shown-call';

/** What the handling of a call needs of its run. */
export interface CallEnvironment {
  readonly record: RunRecord;
  readonly settings: RunSettings;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly context: ToolContext;
  readonly inbox: Inbox;
  readonly grants: Grants;
  /** What the operator was asked to allow beyond the agent file, in this run, and did not. */
  readonly unallowed: UnallowedThings;
  /** Takes secrets out of what tools give back, before it is on record or told to the model. */
  readonly redactor: Redactor;
  readonly originals: LiveOriginals;
  readonly hasOperator: () => boolean;
  readonly signal: AbortSignal;
}

/** A call and the turn it belongs to. */
export interface Call {
  readonly block: ToolUseBlock;
  readonly turn: number;
}

/** Records an error result: the model is told what is wrong, nobody is asked, and nothing runs. */
export function reject(
  call: Call,
  { record, redactor }: Pick<CallEnvironment, 'record' | 'redactor'>,
  what: string,
): void {
  const { block, turn } = call;
  const { id: callId, name: tool } = block;
  const content = redactor.redact(what).text;
  const { command } = spelledCall(call);
  record.append([
    { type: 'call_result', turn, callId, tool, content, isError: true, durationMs: 0, command, outcome: 'failed' },
  ]);
}

/**
 * Records that a call was not carried out, and why.
 * @param shown what it would have run, where no request tells it
 */
export function deny(
  { block, turn }: Call,
  outcome: Denial,
  { record, settings }: Pick<CallEnvironment, 'record' | 'settings'>,
  details: Omit<DenialDetails, 'mayHaveRun'> = {},
  shown: Shown | null = null,
): void {
  const { id: callId, name: tool } = block;
  // It began in an earlier run, whatever was said of it since.
  const mayHaveRun = record.conversation.open.some((open) => open.block.id === callId && open.progress === 'started');
  const text = denial(tool, outcome, settings.approvalTimeoutMs, { ...details, mayHaveRun });
  record.append([{ type: 'tool_denied', turn, callId, tool, ...text, ...shown }]);
}
