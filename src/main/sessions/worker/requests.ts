import { bridge } from '@shared/bridge';
import { z } from 'zod';

/** All that the store's worker can be asked: what may take long, so that the main process never waits for it. */
export const StoreRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('list'), input: bridge.listSessions.input }),
  z.strictObject({ type: z.literal('search'), input: bridge.searchEvents.input }),
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
    code: z.enum(['not-found', 'conflict', 'refused']).nullable(),
    message: z.string(),
    remedy: z.string().optional(),
  }),
]);
export type FromWorker = z.infer<typeof FromWorker>;

/** What the worker is started with. */
export const WorkerData = z.strictObject({ file: z.string() });
