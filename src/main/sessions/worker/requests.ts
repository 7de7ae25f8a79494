import { bridge } from '@shared/bridge';
import { RunId, SessionId } from '@shared/ids';
import { ExportFormat, OldSession, Removal } from '@shared/sessions';
import { Days } from '@shared/settings';
import { Statistics } from '@shared/statistics';
import { z } from 'zod';

/** All that the store's worker can be asked: what may take long, so that the main process never waits for it. */
export const StoreRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('list'), input: bridge.listSessions.input }),
  z.strictObject({ type: z.literal('search'), input: bridge.searchEvents.input }),
  z.strictObject({ type: z.literal('run-sandbox'), input: bridge.getRunSandbox.input }),
  /** What deleting sessions would take away. */
  z.strictObject({ type: z.literal('measure'), sessionIds: z.array(SessionId).max(500) }),
  /** What a rule of so many days would delete. */
  z.strictObject({ type: z.literal('old'), olderThanDays: Days }),
  /** Of what a rule chose, only what it still says. */
  z.strictObject({
    type: z.literal('delete'),
    sessionIds: z.array(SessionId).min(1),
    olderThanDays: Days.nullable(),
  }),
  /** Goes on with deletions that were left half done, and empties the log. */
  z.strictObject({ type: z.literal('finish-deleting') }),
  z.strictObject({
    type: z.literal('fork'),
    sessionId: SessionId,
    seq: z.number().int().positive(),
    newId: SessionId,
    runId: RunId,
  }),
  z.strictObject({
    type: z.literal('export'),
    sessionId: SessionId,
    format: ExportFormat,
    path: z.string().min(1),
    /** Values that must not be read in a page. */
    known: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  }),
  z.strictObject({ type: z.literal('import'), path: z.string().min(1) }),
  z.strictObject({ type: z.literal('backup'), path: z.string().min(1) }),
  z.strictObject({ type: z.literal('statistics'), since: z.number().int().nonnegative() }),
  /** SQLite's own check of the file: `ok`, or what is wrong. */
  z.strictObject({ type: z.literal('check') }),
]);
export type StoreRequest = z.infer<typeof StoreRequest>;
export type StoreRequestType = StoreRequest['type'];
export type StoreInput<T extends StoreRequestType> = Omit<Extract<StoreRequest, { type: T }>, 'type'>;

/** What each request is answered with. */
export const StoreReply = {
  list: bridge.listSessions.output,
  search: bridge.searchEvents.output,
  'run-sandbox': bridge.getRunSandbox.output,
  measure: Removal,
  old: z.strictObject({ sessionIds: z.array(SessionId), removal: Removal, first: z.array(OldSession) }),
  /** The others are held by a process that runs them, or are not there; `changed` had a title from them. */
  delete: z.strictObject({ deleted: z.array(SessionId), changed: z.array(SessionId) }),
  /** The log holds what was deleted until it is emptied, and it is not while somebody reads it. */
  'finish-deleting': z.strictObject({ logEmptied: z.boolean() }),
  fork: z.strictObject({}),
  export: z.strictObject({ events: z.number().int().nonnegative() }),
  import: z.strictObject({ sessionId: SessionId }),
  backup: z.strictObject({}),
  statistics: Statistics,
  check: z.strictObject({ verdict: z.string() }),
} as const satisfies Record<StoreRequestType, z.ZodType>;
export type StoreReply<T extends StoreRequestType> = z.infer<(typeof StoreReply)[T]>;

/** How far a request is: `done` of `total`, or of nobody knows how much. */
export const Progress = z.strictObject({ done: z.number(), total: z.number().nullable() });
export type Progress = z.infer<typeof Progress>;

export const ToWorker = z.strictObject({ id: z.number().int(), request: StoreRequest });

export const FromWorker = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('progress'), id: z.number().int(), progress: Progress }),
  z.strictObject({ kind: z.literal('done'), id: z.number().int(), value: z.unknown() }),
  z.strictObject({
    kind: z.literal('failed'),
    id: z.number().int(),
    code: z.enum(['not-found', 'conflict', 'refused', 'failed']).nullable(),
    message: z.string(),
    remedy: z.string().optional(),
  }),
]);
export type FromWorker = z.infer<typeof FromWorker>;

/** What the worker is started with. */
export const WorkerData = z.strictObject({ file: z.string() });
