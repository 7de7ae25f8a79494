import { z } from 'zod';

/** Ids are random UUIDs, branded so that one kind cannot stand in for another. */
export const SessionId = z.uuid().brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;

export const RunId = z.uuid().brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;

export const RequestId = z.uuid().brand<'RequestId'>();
export type RequestId = z.infer<typeof RequestId>;

export const GrantId = z.uuid().brand<'GrantId'>();
export type GrantId = z.infer<typeof GrantId>;

/** The model's own id of a tool call. Unique within a session, never trusted to be well-formed beyond its length. */
export const CallId = z.string().min(1).max(200).brand<'CallId'>();
export type CallId = z.infer<typeof CallId>;

/** No time is later: up to here every clock in the world shows a year of four digits. */
export const MAX_TIMESTAMP = Date.UTC(9999, 0, 1);

/** Milliseconds since the Unix epoch, by the main process's clock. */
export const Timestamp = z.number().int().nonnegative().max(MAX_TIMESTAMP);
