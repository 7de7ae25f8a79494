import { randomUUID } from 'node:crypto';
import type { Push } from '@shared/bridge';
import { RunId, SessionId } from '@shared/ids';
import type { Inbox } from '../approvals/inbox';
import type { Holders } from '../runs/holders';
import { recoverInterrupted } from '../runs/recovery';
import { Refusal } from '../runs/refusal';
import type { Supervisor } from '../runs/supervisor';
import type { Journal } from '../sessions/journal';
import type { SessionReader } from '../sessions/reader';
import { DAMAGED } from '../sessions/store-words';
import type { Progress } from '../sessions/worker/requests';
import type { StoreWorker } from '../sessions/worker/store-worker';
import type { KnownSecret } from '../tools/redaction/redactor';
import type { BridgeHandlers } from './bridge';
import type { Dialogs } from './dialogs';
import { exportName } from './export-name';

export interface SessionHandlerParts {
  readonly journal: Journal;
  readonly reader: SessionReader;
  readonly worker: StoreWorker;
  readonly inbox: Inbox;
  readonly holders: Holders;
  readonly supervisor: Supervisor;
  readonly dialogs: Dialogs;
  readonly send: (push: Push) => void;
  /** What an exported page must not show: the app's own credentials as they are now. */
  readonly secrets: () => KnownSecret[];
  /** What was deleted must not live on in the backup that Sayso makes by itself. */
  readonly afterDeletion: () => void;
  /** Whether damage was found in the store since it was opened. */
  readonly isSuspect: () => boolean;
}

type SessionMethod =
  | 'listSessions'
  | 'searchEvents'
  | 'getRunSandbox'
  | 'renameSession'
  | 'pinSession'
  | 'measureRemoval'
  | 'deleteSessions'
  | 'previewRetention'
  | 'applyRetention'
  | 'forkSession'
  | 'clearSession'
  | 'exportSession'
  | 'importSession'
  | 'getStatistics'
  | 'backUpStore'
  | 'recoverStore';

/** What the bridge does with whole sessions: find, name, keep, take away, take out and bring in. */
export function sessionHandlers(parts: SessionHandlerParts): Pick<BridgeHandlers, SessionMethod> {
  const { journal, reader, worker, inbox, holders, supervisor, dialogs, send } = parts;
  const report = (task: Extract<Push, { type: 'progress' }>['task']) => (progress: Progress) =>
    send({ type: 'progress', task, ...progress });

  const isThere = (id: SessionId) => reader.session(id) !== null;
  const itRuns = (sessionIds: readonly SessionId[], outcome: string) => {
    const which = sessionIds.map((id) => `“${reader.session(id)?.title ?? id}”`).join(', ');
    return new Refusal('conflict', `It runs: ${which}. ${outcome}`, 'Stop the run first.');
  };

  const remove = async (sessionIds: SessionId[], olderThanDays: number | null) => {
    const held = await holders.heldByOthers();
    const busy = sessionIds.filter((id) => supervisor.isBusy(id) || held.has(id));
    if (busy.length > 0) throw itRuns(busy, 'Nothing was deleted.');
    if (sessionIds.length === 0) return;
    // They are out of every list with the first report; the rest goes on behind the window.
    let told = false;
    const { deleted, changed } = await worker.ask('delete', { sessionIds, olderThanDays }, (progress) => {
      if (!told) send({ type: 'gone', sessionIds: sessionIds.filter((id) => !isThere(id)) });
      told = true;
      report('delete')(progress);
    });
    for (const id of changed) journal.announce(id);
    if (deleted.length > 0) parts.afterDeletion();
    // The worker may have been at something long, and a run may have begun meanwhile.
    const kept = sessionIds.filter((id) => !deleted.includes(id) && isThere(id));
    if (kept.length > 0) throw itRuns(kept, deleted.length === 0 ? 'Nothing was deleted.' : 'All else was deleted.');
  };

  return {
    // Looking for something may take long; the plain list does not.
    listSessions: (input) => (input.query.trim() === '' ? reader.list(input) : worker.ask('list', { input })),
    searchEvents: (input) => worker.ask('search', { input }),
    // In the longest session its start is far from its end.
    getRunSandbox: (input) => worker.ask('run-sandbox', { input }),
    renameSession: ({ sessionId, title }) => found(journal.rename(sessionId, title)),
    pinSession: ({ sessionId, pinned }) => found(journal.pin(sessionId, pinned ? 'pinned' : 'loose')),
    measureRemoval: async ({ sessionIds }) => ({ removal: await worker.ask('measure', { sessionIds }) }),
    deleteSessions: async ({ sessionIds }) => {
      await remove(sessionIds, null);
      return {};
    },
    previewRetention: async ({ olderThanDays }) => {
      const { removal, first } = await worker.ask('old', { olderThanDays });
      return { removal, first };
    },
    applyRetention: async ({ olderThanDays }) => {
      const { sessionIds, removal } = await worker.ask('old', { olderThanDays });
      await remove(sessionIds, olderThanDays);
      return { removal };
    },
    forkSession: async ({ sessionId, seq }) => {
      const newId = SessionId.parse(randomUUID());
      await worker.ask('fork', { sessionId, seq, newId, runId: RunId.parse(randomUUID()) });
      journal.announce(newId);
      return { sessionId: newId };
    },
    clearSession: async ({ sessionId }) => ({ sessionId: await supervisor.clear(sessionId) }),
    exportSession: async ({ sessionId, format }) => {
      const session = reader.session(sessionId);
      if (session === null) throw new Refusal('not-found', 'There is no such session.');
      const known = parts.secrets();
      const path = await dialogs.chooseTarget(exportName(session.title, format, known));
      if (path === null) return { path, events: 0 };
      const { events } = await worker.ask('export', { sessionId, format, path, known }, report('export'));
      return { path, events };
    },
    getStatistics: ({ since }) => worker.ask('statistics', { since }),
    backUpStore: async () => {
      const day = new Date().toISOString().slice(0, 10);
      const path = await dialogs.chooseTarget(`sayso-${day}.sqlite`);
      if (path !== null) await worker.ask('backup', { path }, report('backup'));
      return { path };
    },
    recoverStore: ({ from }) => {
      if (from === 'again') return { setAside: null };
      if (parts.isSuspect()) throw new Refusal('refused', `${DAMAGED.message} Nothing was done yet.`, DAMAGED.remedy);
      throw new Refusal('refused', 'The store is not damaged. Nothing was done.');
    },
    importSession: async () => {
      const path = await dialogs.chooseSessionFile();
      if (path === null) return { sessionId: null };
      const { sessionId } = await worker.ask('import', { path }, report('import'));
      recoverInterrupted(reader, journal, inbox, (id) => id === sessionId, 'it was running when it was exported');
      journal.announce(sessionId);
      return { sessionId };
    },
  };
}

function found(there: boolean): Record<string, never> {
  if (!there) throw new Refusal('not-found', 'There is no such session.');
  return {};
}
