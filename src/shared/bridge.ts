import { z } from 'zod';
import { AgentWithDetails, ServersAsked, Tried } from './agent-details';
import { AgentInfo } from './agent-file';
import { JournalEvent } from './events';
import { CallId, GrantId, RequestId, SessionId } from './ids';
import { Answer, Grant, GrantPreview, Request } from './requests';
import { ExportFormat, MAX_TITLE, OldSession, Removal, SearchHit, SessionSummary } from './sessions';
import { Days, KeyState, Settings, WholeSettings } from './settings';
import { ApprovalMode, RememberScope, SandboxTier } from './states';
import { Statistics } from './statistics';

/**
 * The whole of what the window may ask of the main process. Both sides parse what they get with these schemas: nothing
 * that is not written here crosses. Every input is an object, strict and bounded.
 */
interface Procedure<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly input: I;
  readonly output: O;
}
const procedure = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Procedure<I, O> => ({
  input,
  output,
});

const Nothing = z.strictObject({});
const Path = z.string().min(1).max(4_096);
const AgentId = z.string().min(1).max(5_000);

/** Go on although the agent's prompt or model changed since; the session's remembered approvals are dropped then. */
const Anyway = z.boolean().default(false);

/** The agent and the folder that a session goes on with, where they are not those that it knows. */
const Place = z.strictObject({ agentId: AgentId, workspace: Path }).nullable();

const Sessions = z.array(SessionId).min(1).max(500);

/** What the window needs once, when it opens. */
export const AppInfo = z.strictObject({
  version: z.string(),
  platform: z.string(),
  /** The data folder. */
  home: z.string(),
  agentsFolder: z.string(),
  sandbox: SandboxTier,
  /** False when Chromium's own sandbox is off, because the app runs as root. */
  rendererSandboxed: z.boolean(),
  /** What went wrong or was put right at the start, for the operator to read. */
  notices: z.array(z.string()),
});
export type AppInfo = z.infer<typeof AppInfo>;

export const AuditVerdict = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), rows: z.number().int().nonnegative() }),
  z.strictObject({ ok: z.literal(false), seq: z.number().int(), requestId: z.string(), problem: z.string() }),
]);
export type AuditVerdict = z.infer<typeof AuditVerdict>;

const Page = z.strictObject({ events: z.array(JournalEvent), hasMore: z.boolean() });

export const bridge = {
  getAppInfo: procedure(Nothing, AppInfo),

  listSessions: procedure(
    z.strictObject({
      /** Words to find in titles, agents, prompts and commands; "" for all. */
      query: z.string().max(500),
      limit: z.number().int().min(1).max(500),
      /** The last session of the page before, or null for the first page. */
      after: SessionId.nullable(),
    }),
    z.strictObject({ sessions: z.array(SessionSummary), hasMore: z.boolean() }),
  ),
  /** Events that were said, run or decided, newest first; the words and filters as they are typed. */
  searchEvents: procedure(
    z.strictObject({
      query: z.string().max(500),
      limit: z.number().int().min(1).max(200),
      /** The seq of the last hit of the page before, or null for the first page. */
      before: z.number().int().positive().nullable(),
    }),
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('hits'), hits: z.array(SearchHit), hasMore: z.boolean() }),
      /** A filter that cannot be understood: in words, and where it stands. */
      z.strictObject({ kind: z.literal('problem'), at: z.number().int().nonnegative(), problem: z.string() }),
    ]),
  ),
  getSession: procedure(
    z.strictObject({ sessionId: SessionId }),
    z.strictObject({ session: SessionSummary, grants: z.array(Grant) }),
  ),
  /** A page of a journal in order: the newest `limit` events, or those just before or just after a seq. */
  readEvents: procedure(
    z.strictObject({
      sessionId: SessionId,
      from: z.discriminatedUnion('at', [
        z.strictObject({ at: z.literal('end') }),
        z.strictObject({ at: z.literal('before'), seq: z.number().int().positive() }),
        z.strictObject({ at: z.literal('after'), seq: z.number().int().nonnegative() }),
      ]),
      limit: z.number().int().min(1).max(1_000),
    }),
    Page,
  ),
  /** The sandbox tier of a session's commands at an event, or as they last ran; null where none has run. */
  getRunSandbox: procedure(
    z.strictObject({ sessionId: SessionId, seq: z.number().int().positive().nullable() }),
    z.strictObject({ sandbox: SandboxTier.nullable() }),
  ),
  /**
   * What a running command really prints, before secrets were taken out of it: for the operator's eyes, while it runs.
   * null once it has ended.
   */
  readOriginalOutput: procedure(
    z.strictObject({ sessionId: SessionId, callId: CallId }),
    z.strictObject({ text: z.string().nullable() }),
  ),
  /** Chooses the sessions whose new events are pushed to the window; replaces the choice before. */
  watchSessions: procedure(z.strictObject({ sessionIds: z.array(SessionId).max(8) }), Nothing),

  renameSession: procedure(
    z.strictObject({ sessionId: SessionId, title: z.string().trim().min(1).max(MAX_TITLE) }),
    Nothing,
  ),
  pinSession: procedure(z.strictObject({ sessionId: SessionId, pinned: z.boolean() }), Nothing),
  /** What deleting sessions would take away. */
  measureRemoval: procedure(z.strictObject({ sessionIds: Sessions }), z.strictObject({ removal: Removal })),
  /** Removes sessions from the store for good. One that runs is refused, and then none is deleted. */
  deleteSessions: procedure(z.strictObject({ sessionIds: Sessions }), Nothing),
  /** What a rule of so many days would delete now; the first of its sessions by name, those first that moved last. */
  previewRetention: procedure(
    z.strictObject({ olderThanDays: Days }),
    z.strictObject({ removal: Removal, first: z.array(OldSession) }),
  ),
  /** Deletes it. */
  applyRetention: procedure(z.strictObject({ olderThanDays: Days }), z.strictObject({ removal: Removal })),
  /** A new session that begins with this one's events up to a seq. */
  forkSession: procedure(
    z.strictObject({ sessionId: SessionId, seq: z.number().int().positive() }),
    z.strictObject({ sessionId: SessionId }),
  ),
  /** A new session of the same agent and workspace; the old one's remembered approvals are dropped. */
  clearSession: procedure(z.strictObject({ sessionId: SessionId }), z.strictObject({ sessionId: SessionId })),
  /** Writes a session where the system's dialog says; null when the operator cancelled. */
  exportSession: procedure(
    z.strictObject({ sessionId: SessionId, format: ExportFormat }),
    z.strictObject({ path: z.string().nullable(), events: z.number().int().nonnegative() }),
  ),
  /** Takes in a session from a JSON Lines file that the operator chooses; null when they cancelled. */
  importSession: procedure(Nothing, z.strictObject({ sessionId: SessionId.nullable() })),

  listAgents: procedure(Nothing, z.strictObject({ agents: z.array(AgentInfo) })),
  /**
   * An agent as the next run would have it. Its Fisk applications are run to describe themselves; its MCP servers are
   * started, and ended again, only where they are to be asked for their tools.
   */
  getAgent: procedure(z.strictObject({ agentId: AgentId, servers: ServersAsked.default('leave') }), AgentWithDetails),
  /** What a call of one of its tools would do, without doing it. */
  tryTool: procedure(
    z.strictObject({
      agentId: AgentId,
      tool: z.string().min(1).max(200),
      /** The arguments as JSON. */
      inputText: z.string().min(1).max(200_000),
      /** null: the agent's own. */
      workspace: Path.nullable(),
    }),
    Tried,
  ),
  /** Asks for an agent file with the system's dialog and adds it to the list; null when the operator cancelled. */
  openAgentFile: procedure(Nothing, z.strictObject({ agent: AgentInfo.nullable() })),
  /** Asks for a folder with the system's dialog; null when the operator cancelled. */
  chooseWorkspace: procedure(Nothing, z.strictObject({ path: z.string().nullable() })),

  startRun: procedure(
    z.strictObject({
      agentId: AgentId,
      prompt: z.string().min(1).max(200_000),
      workspace: Path,
      /** null: as the agent file says. */
      mode: ApprovalMode.nullable(),
    }),
    z.strictObject({ sessionId: SessionId }),
  ),
  startDemo: procedure(Nothing, z.strictObject({ sessionId: SessionId })),
  stopRun: procedure(z.strictObject({ sessionId: SessionId }), Nothing),
  /** A reply: read at the next turn of an active run, or the start of a new run of an ended session. */
  sendMessage: procedure(
    z.strictObject({ sessionId: SessionId, text: z.string().min(1).max(200_000), anyway: Anyway, place: Place }),
    Nothing,
  ),
  resumeSession: procedure(z.strictObject({ sessionId: SessionId, anyway: Anyway, place: Place }), Nothing),

  listRequests: procedure(Nothing, z.strictObject({ requests: z.array(Request) })),
  answerRequest: procedure(
    z.strictObject({ requestId: RequestId, digest: z.string().length(64), answer: Answer }),
    Nothing,
  ),
  /** What remembering an open request in this way would have covered of its session so far. */
  previewGrant: procedure(z.strictObject({ requestId: RequestId, scope: RememberScope }), GrantPreview),
  revokeGrant: procedure(z.strictObject({ grantId: GrantId }), Nothing),

  /** Checks the whole audit chain, and names the first link that does not hold. */
  verifyAudit: procedure(Nothing, AuditVerdict),
  /** Writes the audit as JSON Lines where the system's dialog says; null when the operator cancelled. */
  exportAudit: procedure(
    Nothing,
    z.strictObject({ path: z.string().nullable(), rows: z.number().int().nonnegative() }),
  ),

  /** What was spent and decided since a moment. */
  getStatistics: procedure(z.strictObject({ since: z.number().int().nonnegative() }), Statistics),
  /** Copies the whole store where the system's dialog says; null when the operator cancelled. */
  backUpStore: procedure(Nothing, z.strictObject({ path: z.string().nullable() })),
  /**
   * Puts a damaged store aside, whole, and goes on with the last backup or with an empty one; `again` opens the one that
   * is there, where that could not be done before. `setAside` says where the damaged one is.
   */
  recoverStore: procedure(
    z.strictObject({ from: z.enum(['backup', 'empty', 'again']) }),
    z.strictObject({ setAside: z.string().nullable() }),
  ),

  getSettings: procedure(Nothing, z.strictObject({ settings: Settings, key: KeyState })),
  saveSettings: procedure(z.strictObject({ settings: WholeSettings }), Nothing),
  /** Sets the Anthropic API key, or forgets it with null. The key never comes back over the bridge. */
  setApiKey: procedure(
    z.strictObject({ key: z.string().trim().min(1).max(1_000).nullable() }),
    z.strictObject({ key: KeyState }),
  ),
} as const satisfies Record<string, Procedure>;

export type BridgeMethod = keyof typeof bridge;
export type BridgeInput<M extends BridgeMethod> = z.input<(typeof bridge)[M]['input']>;
export type BridgeOutput<M extends BridgeMethod> = z.output<(typeof bridge)[M]['output']>;

/**
 * Why a bridge call was not carried out. `message` says what is wrong; `remedy`, where there is one, what to do. `changed`
 * is refused unless the operator says "anyway"; `elsewhere` unless they say which agent and folder it goes on with;
 * `damaged`: the store cannot be read, and recoverStore puts it aside.
 */
export const BridgeError = z.strictObject({
  code: z.enum(['invalid-input', 'not-found', 'conflict', 'refused', 'changed', 'elsewhere', 'damaged', 'failed']),
  message: z.string(),
  remedy: z.string().optional(),
});
export type BridgeError = z.infer<typeof BridgeError>;

export type BridgeResult<M extends BridgeMethod> =
  | { readonly ok: true; readonly value: BridgeOutput<M> }
  | { readonly ok: false; readonly error: BridgeError };

/** What the main process tells the window without being asked. */
export const Push = z.discriminatedUnion('type', [
  /** New events of the watched sessions, in order. */
  z.strictObject({ type: z.literal('events'), events: z.array(JournalEvent) }),
  z.strictObject({ type: z.literal('sessions'), sessions: z.array(SessionSummary) }),
  /** The whole inbox, ordered by time left. */
  z.strictObject({ type: z.literal('inbox'), requests: z.array(Request) }),
  z.strictObject({ type: z.literal('grants'), sessionId: SessionId, grants: z.array(Grant) }),
  /** Sessions that are no more. */
  z.strictObject({ type: z.literal('gone'), sessionIds: z.array(SessionId) }),
  /** How far something long is; `total` is null where nobody knows. It is over when `done` is `total` or it has answered. */
  z.strictObject({
    type: z.literal('progress'),
    task: z.enum(['export', 'import', 'delete', 'backup']),
    done: z.number().nonnegative(),
    total: z.number().nonnegative().nullable(),
  }),
  /** Something is wrong that nobody asked about, and what to do. */
  z.strictObject({ type: z.literal('trouble'), message: z.string(), remedy: z.string() }),
  z.strictObject({ type: z.literal('agents') }),
  /** The system's light or dark changed, or the operator chose another theme. */
  z.strictObject({ type: z.literal('theme'), dark: z.boolean() }),
  /** A notification was clicked or the menu chosen: go there. */
  z.strictObject({ type: z.literal('show'), sessionId: SessionId }),
]);
export type Push = z.infer<typeof Push>;

/** The object that the preload script puts on the window as `window.sayso`: one named function a method. */
export type SaysoBridge = {
  readonly [M in BridgeMethod]: (input: BridgeInput<M>) => Promise<BridgeResult<M>>;
} & {
  /** Calls back with every push; returns a function that ends it. */
  readonly onPush: (listener: (push: unknown) => void) => () => void;
};
