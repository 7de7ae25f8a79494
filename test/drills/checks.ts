import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../src/main/sessions/database';
import { MIGRATIONS } from '../../src/main/sessions/migrations';
import type { EventBody, JournalEvent } from '../../src/shared/events';
import { checkAnswers, checkLedger } from './check-ledger';
import { readExport, readStore, readStoreFile, type StoreEvidence } from './evidence';
import type { Lane } from './lane';
import { type Done, type LogLine, logOf } from './life';
import { TITLE } from './operator';
import { DECLINED, REACHING } from './script';

/** What must hold whenever the app is not running: after every kill, and after every end. */
export async function checkAlways(lane: Lane): Promise<string[]> {
  const store = await readStore(lane.home);
  if (store.problems.length > 0) return [...store.problems];
  const log = await logOf(lane);
  return [
    ...checkShown(log, store),
    ...checkDone(log, store),
    ...checkLedger(await lane.begun(), drilled(store), DECLINED),
    ...checkAnswers(drilled(store), lane.given),
    ...(await checkFiles(lane)),
  ];
}

/** Every event that the window was told is on record as it was told. */
function checkShown(log: readonly LogLine[], { hashes }: StoreEvidence): string[] {
  return log.flatMap((line) => {
    if (!('acknowledged' in line)) return [];
    return line.acknowledged.flatMap(([seq, hash]) => {
      const kept = hashes.get(seq);
      if (kept === undefined) return [`event ${seq} was shown and is gone`];
      return kept === hash ? [] : [`event ${seq} was shown as another`];
    });
  });
}

/** The events of the session that is drilled; there are others beside it. */
function drilled({ sessions, events }: StoreEvidence): JournalEvent[] {
  const ids = sessions.filter(({ title }) => title === TITLE).map(({ id }) => id);
  return events.filter(({ sessionId }) => ids.includes(sessionId));
}

/** Whatever was asked over the bridge and answered with "done" is. */
function checkDone(log: readonly LogLine[], store: StoreEvidence): string[] {
  return log.flatMap((line) => {
    if (!('done' in line) || isThere(line.done, store)) return [];
    return [`${line.done.method} was done, and nothing of it is there`];
  });
}

function isThere(done: Done, { sessions, events }: StoreEvidence): boolean {
  const hasSession = (id: string) => sessions.some((session) => session.id === id);
  switch (done.method) {
    case 'startRun':
    case 'importSession':
      return hasSession(done.value.sessionId);
    case 'resumeSession':
      return events.some(
        ({ sessionId, body }) => sessionId === done.input.sessionId && body.type === 'run_started' && body.resumed,
      );
    case 'answerRequest':
      return events.some(
        ({ body }) =>
          body.type === 'request_settled' &&
          body.requestId === done.input.requestId &&
          JSON.stringify(body.settlement.answer) === JSON.stringify(done.input.answer),
      );
    case 'exportSession':
    case 'backUpStore':
      return existsSync(done.value.path);
  }
}

/** Files that were written are whole, or not there. */
async function checkFiles(lane: Lane): Promise<string[]> {
  const problems: string[] = [];
  if (existsSync(lane.exported)) {
    const records = await readExport(lane.exported);
    if ('problem' in records) problems.push(`the export is not whole: ${records.problem}`);
  }
  const before = join(lane.home, `${DATABASE_FILE}.before-version-${MIGRATIONS.length}`);
  for (const path of [lane.backup, join(lane.home, 'backups', 'last.sqlite'), before]) {
    if (!existsSync(path)) continue;
    const backup = await readStoreFile(path);
    problems.push(...backup.problems.map((problem) => `the backup ${path}: ${problem}`));
  }
  return problems;
}

/** What a run comes to, without what differs from one to the next. */
export interface End {
  readonly said: string;
  /** Of each call how it ended, by its id. */
  readonly calls: Readonly<Record<string, string>>;
  /** The steps that ran; each of them once, but the one that runs again with more. */
  readonly ran: readonly number[];
  /** What the one step has written beyond the workspace. */
  readonly reached: string;
}

/** What the drilled session has come to. */
export async function endOf(lane: Lane, title: string): Promise<End> {
  const { sessions, events } = await readStore(lane.home);
  const id = sessions.find((session) => session.title === title)?.id;
  const bodies = events.flatMap(({ sessionId, body }) => (sessionId === id ? [body] : []));
  const begun = (await lane.begun()).sort((a, b) => a - b);
  return {
    ...spoken(bodies),
    ran: begun.filter((step, index) => step !== REACHING || begun.indexOf(step) === index),
    reached: await readFile(join(lane.outside, 'reached'), 'utf8').catch(() => ''),
  };
}

function spoken(bodies: readonly EventBody[]): Pick<End, 'said' | 'calls'> {
  const said = bodies.flatMap((body) => (body.type === 'assistant_message' ? [body.blocks] : []));
  const calls = bodies.flatMap((body): (readonly [string, string])[] => {
    if (body.type === 'tool_denied') return [[body.callId, `denied: ${body.outcome}`]];
    if (body.type === 'call_result') return [[body.callId, body.isError ? `error: ${body.content}` : 'result']];
    return [];
  });
  return { said: JSON.stringify(said), calls: Object.fromEntries(calls) };
}

/** A run that was killed and gone on with has come to the end that one comes to that was not. */
export async function checkEnd(lane: Lane, expected: End): Promise<string[]> {
  const store = await readStore(lane.home);
  const session = store.sessions.find(({ title }) => title === TITLE);
  const events = drilled(store);
  const end = await endOf(lane, TITLE);
  const log = join(lane.home, `${DATABASE_FILE}-wal`);
  return [
    ...(session?.state === 'completed' ? [] : [`the session ended as ${session?.state ?? 'nothing'}`]),
    ...(end.said === expected.said ? [] : [`the model said something else: ${end.said}`]),
    ...(sorted(end.calls) === sorted(expected.calls) ? [] : [`its calls ended otherwise: ${sorted(end.calls)}`]),
    ...(String(end.ran) === String(expected.ran) ? [] : [`these steps ran: ${end.ran}`]),
    ...(end.reached === expected.reached ? [] : [`beyond the workspace there is ${JSON.stringify(end.reached)}`]),
    ...(store.pending === 0 ? [] : [`${store.pending} requests are open`]),
    ...(store.unended === 0 ? [] : [`${store.unended} runs have no end`]),
    ...(store.version === MIGRATIONS.length ? [] : [`the store is of version ${store.version}`]),
    ...(existsSync(log) && statSync(log).size > 0 ? ['the log of the store was not written back'] : []),
    ...(await checkExported(lane.exported, events)),
    ...(await checkTakenIn(lane, store)),
    ...((await readStoreFile(lane.backup)).sessions.some(({ id }) => id === session?.id)
      ? []
      : ['it is not in the backup']),
  ];
}

function sorted(calls: End['calls']): string {
  return JSON.stringify(Object.entries(calls).sort());
}

/** An export holds every event of the session. */
async function checkExported(path: string, events: readonly JournalEvent[]): Promise<string[]> {
  const records = await readExport(path);
  if ('problem' in records) return [`the export: ${records.problem}`];
  const exported = records.flatMap((record) => (record.kind === 'event' ? [record.body] : []));
  return JSON.stringify(exported) === JSON.stringify(events.map(({ body }) => body))
    ? []
    : ['the export is not the session'];
}

/** What was taken in holds every event of its file. */
async function checkTakenIn(lane: Lane, store: StoreEvidence): Promise<string[]> {
  if (!existsSync(lane.other)) return [];
  const records = await readExport(lane.other);
  if ('problem' in records) return [`the file to be taken in: ${records.problem}`];
  const bodies = records.flatMap((record) => (record.kind === 'event' ? [record.body] : []));
  const [head] = records;
  const id = head?.kind === 'session' ? head.session.id : '';
  const taken = store.events.filter(({ sessionId }) => sessionId === id).map(({ body }) => body);
  return JSON.stringify(taken) === JSON.stringify(bodies) ? [] : ['what was taken in is not what is in the file'];
}
