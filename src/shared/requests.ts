import { z } from 'zod';
import { Allowance } from './allowances';
import { CallId, GrantId, RequestId, RunId, SessionId, Timestamp } from './ids';
import { MAX_ALLOWANCES } from './max-allowances';
import { ApprovalMode, KeptBy, Outcome, RememberScope, SandboxTier } from './states';

/** Text that a model wrote, cut into what is shown as it is and what stands in for a character that could deceive. */
export const DisplaySegment = z.strictObject({ text: z.string(), escape: z.boolean() });
export type DisplaySegment = z.infer<typeof DisplaySegment>;

/** One row of a command: nothing removed, nothing hidden. `warnings` are labels such as `hidden` or `lookalike:curl`. */
export const DisplayToken = z.strictObject({
  segments: z.array(DisplaySegment),
  warnings: z.array(z.string()),
});
export type DisplayToken = z.infer<typeof DisplayToken>;

/** What a call would do, resolved, as far as it can be known before it runs. */
export const CallPreview = z.discriminatedUnion('kind', [
  /** A process: exactly these tokens, started in exactly this folder. */
  z.strictObject({
    kind: z.literal('command'),
    argv: z.array(z.string()).min(1),
    cwd: z.string(),
    /** argv[0] as it resolves on the child's PATH. */
    program: z.string(),
    /** Names, never values, of the environment variables that the child gets. */
    environment: z.array(z.string()),
    timeoutMs: z.number().int().positive(),
    /** True only for the shell tool, whose last token is interpreted by `sh`. */
    shell: z.boolean(),
  }),
  /** A file's content changes from one text to another; `diff` is a unified diff without file headers. */
  z.strictObject({
    kind: z.literal('file'),
    path: z.string(),
    created: z.boolean(),
    added: z.number().int().nonnegative(),
    removed: z.number().int().nonnegative(),
    diff: z.string(),
    /** How many lines of the diff were left out because it is very long. */
    omittedLines: z.number().int().nonnegative(),
    bytesAfter: z.number().int().nonnegative(),
  }),
  z.strictObject({
    kind: z.literal('move'),
    from: z.string(),
    to: z.string(),
    files: z.number().int().nonnegative(),
    bytes: z.number().int().nonnegative(),
  }),
  z.strictObject({
    kind: z.literal('delete'),
    path: z.string(),
    folder: z.boolean(),
    files: z.number().int().nonnegative(),
    bytes: z.number().int().nonnegative(),
  }),
  /** Everything else: the arguments, one row each, in the order of the tool's schema. */
  z.strictObject({
    kind: z.literal('arguments'),
    rows: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  }),
]);
export type CallPreview = z.infer<typeof CallPreview>;

/** How bad it could be. `severe`: cannot be undone or cannot be judged; `high`: loses or exposes something. */
export const Severity = z.enum(['severe', 'high', 'medium', 'low']);
export type Severity = z.infer<typeof Severity>;

/** Something that the operator should know before deciding. It informs; it never authorises. */
export const RiskLabel = z.strictObject({ id: z.string(), text: z.string(), severity: Severity });
export type RiskLabel = z.infer<typeof RiskLabel>;

/** Why a call has to be asked about. */
export const GatedBy = z.discriminatedUnion('because', [
  z.strictObject({ because: z.literal('mode'), mode: ApprovalMode }),
  z.strictObject({ because: z.literal('tag'), tag: z.string() }),
  /** The mode would have let it run, but the sandbox lacks protections. */
  z.strictObject({ because: z.literal('sandbox') }),
  /** It ran, and ended with this code; the sandbox kept it from something. Approved, it runs again and may do this, too. */
  z.strictObject({
    because: z.literal('wider'),
    exitCode: z.number().int(),
    allows: z.array(Allowance).min(1).max(MAX_ALLOWANCES),
  }),
]);
export type GatedBy = z.infer<typeof GatedBy>;

/** A kind of remembering that the operator may choose for one request, in words that say what it would cover. */
export const RememberOption = z.strictObject({
  scope: RememberScope,
  covers: z.string(),
  /** Shown in warning colours: it covers more than anyone can foresee, for example any shell command whatever. */
  broad: z.boolean(),
});
export type RememberOption = z.infer<typeof RememberOption>;

const requestBase = {
  id: RequestId,
  sessionId: SessionId,
  runId: RunId,
  callId: CallId,
  agent: z.string(),
  sessionTitle: z.string(),
  turn: z.number().int().positive(),
  tool: z.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  /** SHA-256, hex, of everything that would run; an answer must carry the one that was shown. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
};

export const ApprovalRequest = z.strictObject({
  ...requestBase,
  kind: z.literal('approval'),
  preview: CallPreview,
  /** One row per argv element, or the tool's name and its target for what is not a process. */
  command: z.array(DisplayToken).min(1),
  cwd: z.string(),
  gatedBy: GatedBy,
  /** Not there in what an older Sayso wrote. */
  keptBy: KeptBy.optional(),
  /** That of the run's commands, whatever this call is kept by. */
  sandbox: SandboxTier,
  /** What the operator should know before deciding, worst first. */
  labels: z.array(RiskLabel),
  remember: z.array(RememberOption),
  /** Set when this call was approved before and what it would run has changed since: says what. */
  changed: z.string().nullable(),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

export const QuestionForm = z.discriminatedUnion('form', [
  z.strictObject({ form: z.literal('confirm') }),
  z.strictObject({ form: z.literal('select'), options: z.array(z.string()).min(1).max(25) }),
  z.strictObject({ form: z.literal('input'), default: z.string() }),
]);
export type QuestionForm = z.infer<typeof QuestionForm>;

export const QuestionRequest = z.strictObject({
  ...requestBase,
  kind: z.literal('question'),
  question: z.string(),
  answer: QuestionForm,
});
export type QuestionRequest = z.infer<typeof QuestionRequest>;

export const Request = z.discriminatedUnion('kind', [ApprovalRequest, QuestionRequest]);
export type Request = z.infer<typeof Request>;

const Reason = z.string().max(2000).optional();

/** What the operator says to a request. `select` and `input` carry null for "none of these" and "no answer". */
export const Answer = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('approve'),
    remember: RememberScope.nullable(),
    /** How long to remember it, in milliseconds; left out, for as long as its scope lasts. */
    forMs: z.number().int().min(60_000).max(86_400_000).optional(),
  }),
  z.strictObject({ type: z.literal('decline'), reason: Reason }),
  z.strictObject({ type: z.literal('confirm'), confirmed: z.boolean(), reason: Reason }),
  z.strictObject({ type: z.literal('select'), selected: z.number().int().min(0).max(24).nullable(), reason: Reason }),
  z.strictObject({ type: z.literal('input'), value: z.string().max(20_000).nullable(), reason: Reason }),
]);
export type Answer = z.infer<typeof Answer>;

/** Who or what settled a request. Only `operator` is a decision of a person. */
export const SettledBy = z.enum(['operator', 'clock', 'run', 'app', 'grant']);
export type SettledBy = z.infer<typeof SettledBy>;

export const Settlement = z.strictObject({
  outcome: Outcome,
  by: SettledBy,
  reason: z.string().optional(),
  /** The operator's answer, where `by` is `operator`. */
  answer: Answer.optional(),
  grantId: GrantId.optional(),
});
export type Settlement = z.infer<typeof Settlement>;

/** What a way of remembering would have covered of the session so far, so that its reach can be seen before it is given. */
export const GrantPreview = z.strictObject({
  covered: z.number().int().nonnegative(),
  /** How many of those carry a risk label. */
  risky: z.number().int().nonnegative(),
  /** The risky ones first, then the newest. */
  examples: z.array(
    z.strictObject({ seq: z.number().int().positive(), command: z.array(DisplayToken), labels: z.array(RiskLabel) }),
  ),
});
export type GrantPreview = z.infer<typeof GrantPreview>;

/** The sandbox that a grant was given in, which it does not outlive: it covers nothing where calls are confined less. */
export const GrantSandbox = SandboxTier.omit({ notes: true });
export type GrantSandbox = z.infer<typeof GrantSandbox>;

/** Not there where no sandbox keeps the call, and in what an older Sayso wrote. */
const GivenIn = GrantSandbox.optional();

/** What a grant covers. `program` narrows run_command to one executable; `exact` narrows any tool to one digest. */
export const GrantMatch = z.discriminatedUnion('scope', [
  z.strictObject({ scope: z.literal('exact'), tool: z.string(), digest: z.string() }),
  z.strictObject({
    scope: z.literal('session'),
    tool: z.string(),
    program: z.string().nullable(),
    sandbox: GivenIn,
  }),
  z.strictObject({
    scope: z.literal('agent'),
    tool: z.string(),
    program: z.string().nullable(),
    agentId: z.string(),
    /** Without one it is a grant of an older Sayso, and covers nothing any more. */
    agentVersion: z.string().optional(),
    sandbox: GivenIn,
  }),
]);
export type GrantMatch = z.infer<typeof GrantMatch>;

export const Grant = z.strictObject({
  id: GrantId,
  /** The session it was given in; an `agent` grant reaches beyond it. */
  sessionId: SessionId,
  match: GrantMatch,
  /** In words, what it covers: the text that the operator saw when giving it. */
  covers: z.string(),
  createdAt: Timestamp,
  /** When it ends by itself; null for as long as its scope lasts. */
  expiresAt: Timestamp.nullable(),
  uses: z.number().int().nonnegative(),
  revokedAt: Timestamp.nullable(),
});
export type Grant = z.infer<typeof Grant>;
