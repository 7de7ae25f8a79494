import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RunId, SessionId } from '@shared/ids';
import type { Answer, Request } from '@shared/requests';
import Database from 'better-sqlite3';
import { recoverInterrupted } from '../../src/main/runs/recovery';
import type { Appended } from '../../src/main/sessions/journal';
import { exportSession } from '../../src/main/sessions/transfer/export-session';
import { importSession } from '../../src/main/sessions/transfer/import-session';
import { SessionSource } from '../../src/main/sessions/transfer/session-source';
import { humanTools } from '../../src/main/tools/registry';
import type { ActionTool } from '../../src/main/tools/tool';
import { startRun } from '../support/run';
import { openStore, type Store, startSession, TIER } from '../support/store';
import { KillPoints, tell } from './kill-points';

/**
 * The process that is drilled: the main process's own store, journal, inbox, grants, audit, recovery and loop, without
 * Electron and with a scripted model. Its commands are real processes that leave a line in a ledger, so that what ran,
 * and how often, can be told without asking the store.
 *
 *     program MODE HOME [PLACE]    modes: run, migrate, export, import
 */
const [mode = '', home = '', place = null] = process.argv.slice(2);
const points = new KillPoints(place);
const ledger = join(home, 'ledger');
const runFile = promisify(execFile);

const TURNS = [
  { say: 'I shall look around before I change anything here.', calls: [call('look', 1), call('act', 2)], wait: '45ms' },
  { say: 'Now something that you may not want.', calls: [call('act', 3), call('look', 4)] },
  { calls: [{ tool: 'ask_human_confirm', input: { question: 'Shall I go on?' } }] },
  { say: 'I go on, and do the same thing twice.', calls: [call('keep', 5), call('keep', 6)], wait: '45ms' },
  { calls: [call('act', 7)] },
  { say: 'All of it is done, and here is what I did.' },
];

function call(tool: string, n: number) {
  return { tool, input: { n } };
}

/** The operator declines the third call, and remembers what they approve of the fifth. */
function decide(request: Request): Answer {
  if (request.kind === 'question') {
    if (request.answer.form === 'confirm') return { type: 'confirm', confirmed: true };
    if (request.answer.form === 'input') return { type: 'input', value: 'done' };
    // "It may already have run": the ledger tells, and the operator says so.
    const n = Number(/"n":(\d+)/.exec(request.question)?.[1]);
    return { type: 'select', selected: ledgerLines().includes(n) ? 1 : 2 };
  }
  const n =
    request.preview.kind === 'arguments' ? Number(/"n":(\d+)/.exec(request.preview.rows[0]?.value ?? '')?.[1]) : 0;
  if (n === 3) return { type: 'decline', reason: 'not this one' };
  return { type: 'approve', remember: n === 5 ? 'session' : null };
}

function ledgerLines(): number[] {
  try {
    return readFileSync(ledger, 'utf8').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function tool(name: string, dangerous: boolean): ActionTool {
  return {
    kind: 'action',
    source: 'computer',
    name,
    description: name,
    inputSchema: { type: 'object' },
    tags: [],
    dangerous,
    prepare: async (inputText) => ({
      preview: { kind: 'arguments', rows: [{ name: 'input', value: inputText }] },
      command: [name, inputText],
      cwd: '/ws',
      bound: {},
      program: null,
      execute: async ({ onOutput }) => {
        const { n } = JSON.parse(inputText) as { n: number };
        const number = points.begin('spawn');
        points.pass(`spawn:${number}:before`);
        const running = runFile('/bin/sh', ['-c', `echo ${n} >> "$1"; sleep 0.01`, 'sh', ledger]);
        points.pass(`spawn:${number}:after`);
        onOutput(`working on ${n}`, 12);
        await new Promise((resolve) => setTimeout(resolve, 5));
        points.pass(`spawn:${number}:during`);
        await running;
        points.pass(`spawn:${number}:ended`);
        return { content: `did ${n}`, isError: false };
      },
    }),
  };
}

/** Every write of the journal is a place before it, one in the middle of its transaction, and one after it. */
function watchJournal({ journal }: Store): void {
  journal.onAppend(({ events }: Appended) => {
    const hash = (body: object) => createHash('sha256').update(JSON.stringify(body)).digest('hex');
    tell({ acknowledged: events.map(({ seq, body }) => [seq, hash(body)]) });
  });
  const append = journal.append.bind(journal);
  journal.append = (ref, bodies, durability, also) => {
    const number = points.begin('append');
    points.pass(`append:${number}:before`);
    const appended = append(ref, bodies, durability, () => {
      also?.();
      points.pass(`append:${number}:inside`);
    });
    points.pass(`append:${number}:after`);
    return appended;
  };
}

async function run(): Promise<void> {
  const store = await openStore(home);
  watchJournal(store);
  recoverInterrupted(store.reader, store.journal, store.inbox);
  store.grants.endAgentGrants();
  const [session] = store.reader.list({ query: '', limit: 1, after: null }).sessions;
  if (session?.state === 'completed') return finish(store, session.id);
  const ref =
    session === undefined ? startSession(store.journal) : { sessionId: session.id, runId: RunId.parse(randomUUID()) };
  if (session !== undefined) {
    const { agent, provider, model, workspace, mode: approvalMode } = session;
    store.journal.append(
      ref,
      [{ type: 'run_started', resumed: true, agent, provider, model, workspace, mode: approvalMode, sandbox: TIER }],
      'durable',
    );
  }
  const answered = new Set<string>();
  store.inbox.onChange(() => {
    for (const request of store.inbox.open()) {
      if (answered.has(request.id)) continue;
      answered.add(request.id);
      const number = points.begin('waiting');
      setTimeout(() => {
        points.pass(`waiting:${number}`);
        store.inbox.answer(request.id, request.digest, decide(request));
        points.pass(`answered:${number}`);
      }, 3);
    }
  });
  const tools = [tool('look', false), tool('act', true), tool('keep', true), ...humanTools()];
  const { run: working } = startRun(store, TURNS, tools, { ref });
  const state = await working.ended;
  if (state !== 'completed') throw new Error(`it ended as ${state}`);
  await finish(store, ref.sessionId);
}

/** What the whole of it came to: the same for every run that was killed and resumed as for one that was not. */
async function finish(store: Store, sessionId: SessionId): Promise<void> {
  tell({ ended: true, sessionId, counts: points.counts() });
  store.database.close();
}

async function migrate(): Promise<void> {
  for (const method of ['exec', 'prepare'] as const) {
    const original = Database.prototype[method] as (sql: string) => unknown;
    Object.assign(Database.prototype, {
      [method](this: Database.Database, sql: string) {
        const number = points.begin(method);
        points.pass(`${method}:${number}:before`);
        const result = original.call(this, sql);
        points.pass(`${method}:${number}:after`);
        return result;
      },
    });
  }
  const store = await openStore(home);
  tell({ ended: true, counts: points.counts() });
  store.database.close();
}

async function exportAll(): Promise<void> {
  const store = await openStore(home);
  const [session] = store.reader.list({ query: '', limit: 1, after: null }).sessions;
  if (session === undefined) throw new Error('there is nothing to export');
  const events = SessionSource.prototype.events;
  SessionSource.prototype.events = async function* () {
    for await (const event of events.call(this)) {
      points.pass(`event:${points.begin('event')}`);
      yield event;
    }
  };
  const path = join(home, 'export.jsonl');
  await exportSession(store.database, { sessionId: SessionId.parse(session.id), format: 'jsonl', path }, () => {
    points.pass(`report:${points.begin('report')}`);
  });
  tell({ ended: true, counts: points.counts() });
  store.database.close();
}

/** Takes in a session: killed while it is read, and at every statement that writes it. */
async function importAll(): Promise<void> {
  const store = await openStore(home);
  const prepare = store.database.prepare.bind(store.database);
  Object.assign(store.database, {
    prepare(sql: string) {
      points.pass(`write:${points.begin('write')}`);
      return prepare(sql);
    },
  });
  await importSession(store.database, join(home, 'session.jsonl'), () => {
    points.pass(`read:${points.begin('read')}`);
  });
  tell({ ended: true, counts: points.counts() });
  store.database.close();
}

const modes: Readonly<Record<string, () => Promise<void>>> = { run, migrate, export: exportAll, import: importAll };
modes[mode]?.().catch((error: unknown) => {
  tell({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exitCode = 1;
});
