import type { Push } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import type { ExportFormat } from '@shared/sessions';
import { create } from 'zustand';
import { closeColumn, notify, notifyError, showSession, useApp } from '../app/store';
import { ask } from '../ui/bridge';
import { plural } from '../ui/format';
import { forgetSessions, loadSession } from './store';

/** How far something long is, for as long as it lasts. */
export type LongTask = Omit<Extract<Push, { type: 'progress' }>, 'type'>;

export const useLongTask = create<{ readonly task: LongTask | null }>(() => ({ task: null }));

export function takeProgress({ task, done, total }: LongTask): void {
  useLongTask.setState({ task: { task, done, total } });
}

async function long<T>(task: LongTask['task'], work: () => Promise<T>): Promise<T> {
  useLongTask.setState({ task: { task, done: 0, total: null } });
  try {
    return await work();
  } finally {
    useLongTask.setState({ task: null });
  }
}

export async function renameSession(sessionId: SessionId, title: string): Promise<boolean> {
  const result = await ask('renameSession', { sessionId, title });
  if (!result.ok) notifyError(result.error);
  return result.ok;
}

export async function pinSession(sessionId: SessionId, pinned: boolean): Promise<void> {
  const result = await ask('pinSession', { sessionId, pinned });
  if (!result.ok) notifyError(result.error);
}

export async function deleteSession(sessionId: SessionId): Promise<boolean> {
  const result = await long('delete', () => ask('deleteSessions', { sessionIds: [sessionId] }));
  if (!result.ok) notifyError(result.error);
  return result.ok;
}

/** Begins a new session with everything up to now, wherever in it the reader is. */
export async function forkWhole(sessionId: SessionId): Promise<void> {
  const result = await ask('readEvents', { sessionId, from: { at: 'end' }, limit: 1 });
  if (!result.ok) return notifyError(result.error);
  const last = result.value.events.at(-1);
  if (last !== undefined) await forkSession(sessionId, last.seq);
}

export async function forkSession(sessionId: SessionId, seq: number): Promise<void> {
  const result = await ask('forkSession', { sessionId, seq });
  if (!result.ok) return notifyError(result.error);
  await goTo(result.value.sessionId);
}

export async function clearSession(sessionId: SessionId): Promise<void> {
  const result = await ask('clearSession', { sessionId });
  if (!result.ok) return notifyError(result.error);
  await goTo(result.value.sessionId);
}

export async function exportSession(sessionId: SessionId, format: ExportFormat): Promise<void> {
  const result = await long('export', () => ask('exportSession', { sessionId, format }));
  if (!result.ok) return notifyError(result.error);
  const { path, events } = result.value;
  if (path !== null) notify('info', `${plural(events, 'entry', 'entries')} of the journal written to ${path}.`);
}

export async function importSession(): Promise<void> {
  const result = await long('import', () => ask('importSession', {}));
  if (!result.ok) return notifyError(result.error);
  if (result.value.sessionId !== null) await goTo(result.value.sessionId);
}

export async function backUpStore(): Promise<void> {
  const result = await long('backup', () => ask('backUpStore', {}));
  if (!result.ok) return notifyError(result.error);
  if (result.value.path !== null) notify('info', `Everything was copied to ${result.value.path}.`);
}

/** Sessions that are no more leave the list and their columns. */
export function takeGone(sessionIds: readonly SessionId[]): void {
  forgetSessions(sessionIds);
  const gone = new Set(sessionIds);
  for (const column of useApp.getState().columns) if (gone.has(column)) closeColumn(column);
}

async function goTo(sessionId: SessionId): Promise<void> {
  await loadSession(sessionId);
  showSession(sessionId);
}
