import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { EventBody } from '@shared/events';
import { RunId, SessionId } from '@shared/ids';
import type { SessionSummary } from '@shared/sessions';
import { LineWriter, type TransferRecord } from '../../src/main/sessions/transfer/records';

export interface Forged {
  readonly session?: Partial<SessionSummary>;
  readonly events?: readonly EventBody[];
  /** The time of each of them. */
  readonly at?: number;
  readonly ended?: boolean;
  readonly more?: readonly TransferRecord[];
}

/** Writes a session's file with right sums that says whatever somebody likes. */
export async function forge(path: string, { session, events = [], at = Date.now(), ended = true, more = [] }: Forged) {
  const id = SessionId.parse(randomUUID());
  const runId = RunId.parse(randomUUID());
  const now = Date.now();
  const state = ended ? 'completed' : 'thinking';
  const summary: SessionSummary = {
    id,
    title: 'Forged',
    agentId: 'agent-1',
    agent: 'tester',
    provider: 'scripted',
    model: 'scripted',
    workspace: '/ws',
    mode: 'ask',
    state,
    detail: '',
    createdAt: now,
    updatedAt: now,
    turns: 0,
    tokens: 0,
    costUsd: null,
    workingMs: 0,
    waitingMs: 0,
    approved: 0,
    denied: 0,
    openRequests: 0,
    nextExpiryAt: null,
    pinned: false,
    origin: null,
    ...session,
  };
  const records: TransferRecord[] = [
    { kind: 'session', format: 'sayso-session', version: 1, exportedAt: now, fingerprint: '{}', session: summary },
    { kind: 'run', id: runId, startedAt: now, endedAt: ended ? now : null, state },
    ...events.map((body, index): TransferRecord => ({ kind: 'event', seq: index + 1, runId, at, body })),
    ...more,
  ];
  const writer = new LineWriter();
  const lines = [...records, { kind: 'end' as const, lines: records.length + 1 }].map((record) => writer.line(record));
  await writeFile(path, lines.join(''));
  return { sessionId: id, runId };
}
