import { z } from 'zod';
import { Allowance } from './allowances';
import { CallId, GrantId, RequestId, RunId, SessionId, Timestamp } from './ids';
import { JsonObject } from './json';
import { MAX_ALLOWANCES } from './max-allowances';
import { CallPreview, DisplayToken, Grant, Request, Settlement } from './requests';
import { ActiveState, ApprovalMode, Denial, KeptBy, Provider, SandboxTier, TerminalState } from './states';

/** Of one kind in one reply: far more than any model reads or writes, and few enough to be added up. */
export const MAX_TOKENS = 1_000_000_000;
/** Of one reply, in US dollars: more than so many tokens cost at any price. */
export const MAX_COST_USD = 1_000_000_000;

const Tokens = z.number().int().nonnegative().max(MAX_TOKENS);

/** Tokens of one model reply as the provider counts them; `cost` in US dollars, null where no price is known. */
export const Usage = z.strictObject({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  costUsd: z.number().nonnegative().max(MAX_COST_USD).nullable(),
});
export type Usage = z.infer<typeof Usage>;

export const AssistantBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  /** Kept whole, with the provider's signature, because it has to be sent back with the tool results. */
  z.strictObject({ type: z.literal('thinking'), text: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  /** `inputText` is the arguments' JSON exactly as the model spelled it. */
  z.strictObject({ type: z.literal('tool_use'), id: CallId, name: z.string(), inputText: z.string() }),
  /** Something that the provider did on its own side, such as a search for tools. Sent back as it came. */
  z.strictObject({ type: z.literal('provider'), data: JsonObject }),
]);
export type AssistantBlock = z.infer<typeof AssistantBlock>;
export type ToolUseBlock = Extract<AssistantBlock, { type: 'tool_use' }>;

export const StopReason = z.enum([
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'refusal',
  'pause_turn',
  'other',
]);
export type StopReason = z.infer<typeof StopReason>;

/** What a model call that failed in the end cost all the same. */
const SpentInVain = Usage.optional();

/** What a call would have run, as it would have been shown: where nobody was asked, no request tells it. */
const Command = z.array(DisplayToken).optional();

/** Ids of a call's risk labels. Left out where there are none, and by a Sayso that did not put them on record. */
const Labels = z.array(z.string()).optional();

/** The next one is told from it by a number that is still exact. */
const Turn = z.number().int().positive().max(1_000_000_000);

/** Everything that can stand in a journal. The journal is the truth; every screen is derived from these. */
export const EventBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('run_started'),
    resumed: z.boolean(),
    agent: z.string(),
    provider: Provider,
    model: z.string(),
    workspace: z.string(),
    mode: ApprovalMode,
    sandbox: SandboxTier,
    /** The first run here of a session that came from a file: what had started before had started elsewhere, if at all. */
    takenIn: z.literal(true).optional(),
  }),
  z.strictObject({ type: z.literal('user_message'), text: z.string() }),
  z.strictObject({ type: z.literal('run_state'), state: ActiveState }),
  z.strictObject({ type: z.literal('model_started'), turn: Turn, attempt: z.number().int().positive() }),
  z.strictObject({
    type: z.literal('model_delta'),
    turn: Turn,
    attempt: z.number().int().positive(),
    kind: z.enum(['text', 'thinking']),
    text: z.string(),
  }),
  /** What the model had streamed in this attempt is void: it is asked again, and nothing is shown twice. */
  z.strictObject({
    type: z.literal('model_retry'),
    turn: Turn,
    attempt: z.number().int().positive(),
    reason: z.string(),
  }),
  z.strictObject({
    type: z.literal('assistant_message'),
    turn: Turn,
    blocks: z.array(AssistantBlock),
    stopReason: StopReason,
    usage: Usage,
  }),
  z.strictObject({ type: z.literal('request_opened'), request: Request }),
  z.strictObject({
    type: z.literal('request_settled'),
    requestId: RequestId,
    callId: CallId,
    settlement: Settlement,
    afterMs: z.number().int().nonnegative(),
  }),
  /** Journaled before anything runs: a call with this and without a result may have run. */
  z.strictObject({
    type: z.literal('call_started'),
    turn: Turn,
    callId: CallId,
    tool: z.string(),
    preview: CallPreview,
    command: z.array(DisplayToken),
    /** Of all that it does; the same as that of the request, where it was asked about. */
    digest: z.string(),
    /** The executable that a grant for "this command" means; null where the tool itself is the command. */
    program: z.string().nullable(),
    /** How it came to run: nothing to ask, the operator's approval, or a grant. */
    allowedBy: z.enum(['ungated', 'operator', 'grant']),
    grantId: GrantId.optional(),
    /** Not there in what an older Sayso wrote. The tier stands in the start of the run, or in the request. */
    keptBy: KeptBy.optional(),
    /** What this one start may do beyond what the agent file allows; the operator said so, for it alone. */
    allows: z.array(Allowance).max(MAX_ALLOWANCES).optional(),
    labels: Labels,
  }),
  /**
   * A command has ended, and the sandbox kept it from something: what it came to stands here before the operator is asked
   * whether it may run again with more. It is the result of the call unless they say so.
   */
  z.strictObject({
    type: z.literal('call_refused'),
    turn: Turn,
    callId: CallId,
    tool: z.string(),
    /** What the model is told if it does not run again, but for a note about why. */
    content: z.string(),
    exitCode: z.number().int(),
    durationMs: z.number().int().nonnegative(),
    /** What it would be allowed: what it was allowed this time, and more. */
    asks: z.array(Allowance).min(1).max(MAX_ALLOWANCES),
  }),
  /** Live output; `bytes` is how much the command has printed so far, of which at most 64 KiB is journaled live. */
  z.strictObject({
    type: z.literal('call_output'),
    callId: CallId,
    text: z.string(),
    bytes: z.number().int().nonnegative(),
  }),
  z.strictObject({
    type: z.literal('call_result'),
    turn: Turn,
    callId: CallId,
    tool: z.string(),
    /** What the model is told, exactly. */
    content: z.string(),
    isError: z.boolean(),
    durationMs: z.number().int().nonnegative(),
    /** Only of a call that nothing was run and nobody was asked for: what it was about, and why. */
    command: Command,
    outcome: Denial.optional(),
  }),
  z.strictObject({
    type: z.literal('tool_denied'),
    turn: Turn,
    callId: CallId,
    tool: z.string(),
    outcome: Denial,
    reason: z.string(),
    command: Command,
    labels: Labels,
  }),
  z.strictObject({ type: z.literal('grant_given'), grant: Grant }),
  z.strictObject({ type: z.literal('grant_used'), grantId: GrantId, callId: CallId }),
  z.strictObject({ type: z.literal('grant_revoked'), grantId: GrantId, by: z.enum(['operator', 'app']) }),
  /** `forModel`: the model is told these words, too, after the results of its calls. */
  z.strictObject({
    type: z.literal('notice'),
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    forModel: z.boolean().optional(),
    usage: SpentInVain,
  }),
  /** The model is asked to summarise older turns; `compacted` or a notice follows. */
  z.strictObject({ type: z.literal('compacting'), turn: Turn }),
  /** For the model, the summary stands in place of the older messages from here on; the newest `kept` stay. */
  z.strictObject({
    type: z.literal('compacted'),
    summary: z.string(),
    replaced: z.number().int().positive(),
    kept: z.number().int().nonnegative(),
    usage: Usage,
  }),
  z.strictObject({ type: z.literal('run_ended'), state: TerminalState, reason: z.string(), usage: SpentInVain }),
]);
export type EventBody = z.infer<typeof EventBody>;
export type EventType = EventBody['type'];
export type EventOf<T extends EventType> = Extract<EventBody, { type: T }>;

/** One line of a journal. `seq` grows over the whole store, never repeats, and orders everything. */
export const JournalEvent = z.strictObject({
  seq: z.number().int().positive(),
  sessionId: SessionId,
  runId: RunId,
  at: Timestamp,
  body: EventBody,
});
export type JournalEvent = z.infer<typeof JournalEvent>;
