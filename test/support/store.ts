import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventOf, JournalEvent } from '@shared/events';
import { CallId, RequestId, RunId, SessionId } from '@shared/ids';
import type { ApprovalRequest } from '@shared/requests';
import type { SandboxTier } from '@shared/states';
import { Audit } from '../../src/main/approvals/audit';
import { Grants } from '../../src/main/approvals/grants';
import { Inbox } from '../../src/main/approvals/inbox';
import type { Rememberable } from '../../src/main/approvals/remember';
import { rememberOptions } from '../../src/main/approvals/remember';
import { openDatabase } from '../../src/main/sessions/database';
import { Journal, type NewSession, type RunRef } from '../../src/main/sessions/journal';
import { SessionReader } from '../../src/main/sessions/reader';
import { readEventRow } from '../../src/main/sessions/rows';

export const TIER: SandboxTier = {
  name: 'process',
  label: 'process only',
  files: 'not-enforced',
  network: 'not-enforced',
  processes: 'not-enforced',
  privileges: 'not-enforced',
};

/** A real store in a temporary folder, with everything that works on it. */
export async function openStore(home?: string) {
  const folder = home ?? (await mkdtemp(join(tmpdir(), 'sayso-store-')));
  const { database } = await openDatabase(folder);
  const journal = new Journal(database);
  const reader = new SessionReader(database);
  const grants = new Grants(database, journal);
  const audit = new Audit(database);
  const storeErrors: unknown[] = [];
  const inbox = new Inbox(database, journal, grants, audit, (error) => storeErrors.push(error));
  const close = async () => {
    if (database.open) database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { home: folder, database, journal, reader, grants, inbox, audit, storeErrors, close };
}
export type Store = Awaited<ReturnType<typeof openStore>>;

/** Every event of a session, just as it stands in the store, with all that merely streamed. */
export function wholeJournal(store: Pick<Store, 'database'>, sessionId: SessionId): JournalEvent[] {
  const rows = store.database.prepare('SELECT * FROM events WHERE session_id = ? ORDER BY seq').all(sessionId);
  return rows.map(readEventRow);
}

/** The beginning of a run. */
export const STARTED: EventOf<'run_started'> = {
  type: 'run_started',
  resumed: false,
  agent: 'tester',
  provider: 'scripted',
  model: 'scripted',
  workspace: '/ws',
  mode: 'ask',
  sandbox: TIER,
};

/** A session as it is made. */
export function newSession(title: string, agentId = 'agent-1', id = SessionId.parse(randomUUID())): NewSession {
  return {
    id,
    title,
    agentId,
    agent: 'tester',
    provider: 'scripted',
    model: 'scripted',
    workspace: '/ws',
    mode: 'ask',
    fingerprint: '{}',
  };
}

/** A session with a run that has started. */
export function startSession(journal: Journal, agentId = 'agent-1'): RunRef {
  const ref: RunRef = { sessionId: SessionId.parse(randomUUID()), runId: RunId.parse(randomUUID()) };
  journal.createSession(newSession('A session', agentId, ref.sessionId), ref.runId, [
    STARTED,
    { type: 'user_message', text: 'Do something' },
  ]);
  return ref;
}

export function rememberable(over: Partial<Rememberable> = {}): Rememberable {
  return {
    tool: 'run_command',
    program: '/usr/bin/git',
    digest: 'a'.repeat(64),
    agentId: 'agent-1',
    agentVersion: 'v1',
    agentName: 'tester',
    command: [{ segments: [{ text: 'git', escape: false }], warnings: [] }],
    sandbox: null,
    ...over,
  };
}

/** An approval request of a run, open for `ms`. */
export function approval(ref: RunRef, call: Rememberable, ms = 60_000): ApprovalRequest {
  const createdAt = Date.now();
  return {
    id: RequestId.parse(randomUUID()),
    ...ref,
    callId: CallId.parse('call_1'),
    agent: 'tester',
    sessionTitle: 'A session',
    turn: 1,
    tool: call.tool,
    createdAt,
    expiresAt: createdAt + ms,
    digest: call.digest,
    kind: 'approval',
    preview: {
      kind: 'command',
      argv: ['git', 'status'],
      cwd: '/ws',
      program: '/usr/bin/git',
      environment: [],
      timeoutMs: 1000,
      shell: false,
    },
    command: [...call.command],
    cwd: '/ws',
    gatedBy: { because: 'mode', mode: 'ask' },
    sandbox: TIER,
    labels: [],
    remember: rememberOptions(call),
    changed: null,
  };
}
