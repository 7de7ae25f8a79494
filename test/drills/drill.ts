import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { JournalEvent } from '@shared/events';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { DATABASE_FILE } from '../../src/main/sessions/database';
import { importSession } from '../../src/main/sessions/transfer/import-session';
import { openStore } from '../support/store';
import { buildProgram } from '../support/store-worker';
import { checkLedger } from './check-ledger';

/** What came of one kill: nothing wrong, or what is. */
export interface Drilled {
  readonly mode: Mode;
  readonly place: string;
  /** False where the process ended before it came to the place. */
  readonly killed: boolean;
  readonly problems: readonly string[];
}

export type Mode = 'run' | 'migrate' | 'export' | 'import';

interface Place {
  readonly mode: Mode;
  readonly place: string;
}

const Line = z.looseObject({
  acknowledged: z.array(z.tuple([z.number(), z.string()])).optional(),
  ended: z.boolean().optional(),
  failed: z.string().optional(),
  counts: z.record(z.string(), z.number()).optional(),
});
type Line = z.infer<typeof Line>;

/** Longer than what a command that outlives its killed parent still takes. */
const ORPHANS_MS = 60;

/** Processes that are drilled at once: most of their time they wait for the disk. */
const AT_ONCE = 4;

/** Calls that the drill's operator declines, and those that they let run. */
const DECLINED = [3];
const RUN = [1, 2, 4, 5, 6, 7];

/**
 * Kills the program at up to `count` places, spread evenly over all that there are, and after each looks at what is left
 * and goes on to the end.
 */
export async function drill(count: number, say: (line: string) => void = () => {}): Promise<Drilled[]> {
  const program = await buildProgram('test/drills/program.ts');
  const base = await mkdtemp(join(tmpdir(), 'sayso-drill-'));
  try {
    const driller = new Driller(program.script, base);
    const places = await driller.places();
    say(`${places.length} places to be killed at`);
    const chosen = spread(places, count);
    const drilled: Drilled[] = [];
    const left = [...chosen];
    const work = async () => {
      for (let place = left.shift(); place !== undefined; place = left.shift()) {
        const result = await driller.kill(place);
        for (const problem of result.problems) say(`${place.mode} ${place.place}: ${problem}`);
        drilled.push(result);
        if (drilled.length % 20 === 0) say(`${drilled.length} of ${chosen.length}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return drilled;
  } finally {
    await program.remove();
    await rm(base, { recursive: true, force: true });
  }
}

function spread<T>(items: readonly T[], count: number): T[] {
  if (count >= items.length) return [...items];
  return Array.from({ length: count }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / count)] as T);
}

class Driller {
  #number = 0;
  #exportHome = '';
  #answer: string | null = null;

  constructor(
    private readonly script: string,
    private readonly base: string,
  ) {}

  /** Every place of every mode, found by a run of each that is not killed. */
  async places(): Promise<Place[]> {
    const home = await this.#home('run');
    const run = await this.#program('run', home, null);
    const runCounts = countsOf(run.lines);
    const problems = await this.#check(home, run.lines);
    this.#answer = finalAnswer(home);
    if (problems.length > 0) throw new Error(`without a kill: ${problems.join('; ')}`);
    this.#exportHome = home;
    const migration = countsOf((await this.#program('migrate', await this.#home('migrate'), null)).lines);
    const exported = countsOf((await this.#program('export', await this.#home('export'), null)).lines);
    await this.#program('export', this.#exportHome, null);
    const imported = countsOf((await this.#program('import', await this.#home('import'), null)).lines);
    const each = (number: number | undefined, make: (index: number) => string[]) =>
      Array.from({ length: number ?? 0 }, (_, index) => make(index)).flat();
    const parts = (kind: string, names: readonly string[]) => (index: number) =>
      names.map((name) => `${kind}:${index}:${name}`);
    return [
      ...[
        ...each(runCounts.append, parts('append', ['before', 'inside', 'after'])),
        ...each(runCounts.spawn, parts('spawn', ['before', 'after', 'during', 'ended'])),
        ...each(runCounts.waiting, (index) => [`waiting:${index}`, `answered:${index}`]),
      ].map((place): Place => ({ mode: 'run', place })),
      ...[
        ...each(migration.exec, parts('exec', ['before', 'after'])),
        ...each(Math.min(migration.prepare ?? 0, 10), parts('prepare', ['before'])),
      ].map((place): Place => ({ mode: 'migrate', place })),
      ...[...each(exported.event, (index) => [`event:${index}`]), 'report:0'].map(
        (place): Place => ({ mode: 'export', place }),
      ),
      ...[
        ...each(imported.read, (index) => [`read:${index}`]),
        ...each(imported.write, (index) => [`write:${index}`]),
      ].map((place): Place => ({ mode: 'import', place })),
    ];
  }

  async kill({ mode, place }: Place): Promise<Drilled> {
    const home = await this.#home(mode);
    const first = await this.#program(mode, home, place);
    const killed = first.signal === 'SIGKILL';
    const problems: string[] = [];
    if (mode === 'run') {
      await wait(ORPHANS_MS);
      problems.push(...(await this.#check(home, first.lines)));
      const second = await this.#program('run', home, null);
      problems.push(...failures(second.lines));
      problems.push(...(await this.#check(home, [...first.lines, ...second.lines])), ...this.#checkEnd(home));
    } else if (mode === 'migrate') {
      problems.push(...integrity(home), ...(await this.#checkMigrated(home)));
    } else if (mode === 'import') {
      problems.push(...integrity(home), ...(await this.#checkImported(home)));
    } else {
      problems.push(...integrity(home), ...(await this.#checkExported(home, killed)));
    }
    await rm(home, { recursive: true, force: true });
    return { mode, place, killed, problems };
  }

  async #home(mode: Mode): Promise<string> {
    const home = await mkdtemp(join(this.base, `${mode}-${this.#number++}-`));
    if (mode === 'migrate') await cp('test/fixtures/store-v1.sqlite', join(home, DATABASE_FILE));
    if (mode === 'import') await cp(join(this.#exportHome, 'export.jsonl'), join(home, 'session.jsonl'));
    if (mode === 'export') await cp(join(this.#exportHome, DATABASE_FILE), join(home, DATABASE_FILE));
    return home;
  }

  async #program(mode: Mode, home: string, place: string | null) {
    const child = spawn(process.execPath, [this.script, mode, home, ...(place === null ? [] : [place])], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const ended = once(child.stdout, 'end');
    const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    // Not for ever: a command that outlives the killed program may still hold the pipe.
    await Promise.race([ended, wait(signal === null ? 5_000 : ORPHANS_MS)]);
    child.stdout.destroy();
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const lines = whole
      .split('\n')
      .filter(Boolean)
      .map((line) => Line.parse(JSON.parse(line)));
    return { lines, signal };
  }

  /** What must hold after every kill, and after every end. */
  async #check(home: string, lines: readonly Line[]): Promise<string[]> {
    const problems = integrity(home);
    if (problems.length > 0) return problems;
    const database = new Database(join(home, DATABASE_FILE));
    const bodies = new Map(
      (database.prepare('SELECT seq, body FROM events').all() as { seq: number; body: string }[]).map(
        ({ seq, body }) => [seq, body],
      ),
    );
    database.close();
    for (const [seq, hash] of lines.flatMap((line) => line.acknowledged ?? [])) {
      const body = bodies.get(seq);
      if (body === undefined) problems.push(`event ${seq} was acknowledged and is gone`);
      else if (createHash('sha256').update(body).digest('hex') !== hash) problems.push(`event ${seq} is another`);
    }
    return [...problems, ...checkLedger(await ledgerOf(home), eventsOf(home), DECLINED)];
  }

  /** A run that was killed and resumed comes to the end that one comes to that was not. */
  #checkEnd(home: string): string[] {
    const answer = finalAnswer(home);
    const problems = answer === this.#answer ? [] : [`it came to another end: ${answer}`];
    const ran = new Set(
      eventsOf(home).flatMap(({ body }) => (body.type === 'call_result' ? [String(body.callId)] : [])),
    );
    const denied = eventsOf(home).filter(({ body }) => body.type === 'tool_denied').length;
    if (ran.size !== RUN.length + 1) problems.push(`${ran.size} calls have a result`);
    if (denied !== DECLINED.length) problems.push(`${denied} calls were denied`);
    return problems;
  }

  async #checkMigrated(home: string): Promise<string[]> {
    const before = eventsOf('test/fixtures', 'store-v1.sqlite');
    const store = await openStore(home);
    const version = Number(store.database.pragma('user_version', { simple: true }));
    const after = eventsOf(home);
    store.database.close();
    return [
      ...(version >= 2 ? [] : [`it is of version ${version}`]),
      ...(JSON.stringify(after) === JSON.stringify(before) ? [] : ['its events are not what they were']),
    ];
  }

  /** The file is not there, or it is whole; and the next export is. */
  async #checkExported(home: string, killed: boolean): Promise<string[]> {
    const path = join(home, 'export.jsonl');
    const problems: string[] = [];
    const there = await readFile(path, 'utf8').catch(() => null);
    const half = killed && there !== null ? await this.#refusal(path) : null;
    if (half !== null) problems.push(`it left half a file: ${half}`);
    await rm(path, { force: true });
    problems.push(...failures((await this.#program('export', home, null)).lines));
    const refusal = await this.#refusal(path);
    if (refusal !== null) problems.push(`the next export cannot be taken in: ${refusal}`);
    return problems;
  }

  /** There is nothing of it to be seen, and then it can be taken in. */
  async #checkImported(home: string): Promise<string[]> {
    const seen = shown(home);
    const again = await this.#program('import', home, null);
    const whole = eventsOf(this.#exportHome).map(({ body }) => body);
    const problems = [...failures(again.lines), ...integrity(home)];
    if (seen > 0) problems.push(`it left ${seen} sessions or decisions to be seen`);
    if (JSON.stringify(eventsOf(home).map(({ body }) => body)) !== JSON.stringify(whole)) {
      problems.push('what was taken in is not what was exported');
    }
    return problems;
  }

  /** Why a file cannot be taken in; null where it can, and its audit holds. */
  async #refusal(path: string): Promise<string | null> {
    const store = await openStore();
    try {
      await importSession(store.database, path, () => {});
      const verdict = await store.audit.verify();
      return verdict.ok ? null : `audit row ${verdict.seq}: ${verdict.problem}`;
    } catch (error) {
      return String(error);
    } finally {
      await store.close();
    }
  }
}

function countsOf(lines: readonly Line[]): Record<string, number> {
  const counts = lines.find((line) => line.ended === true)?.counts;
  if (counts === undefined) throw new Error(`it did not come to its end: ${JSON.stringify(lines.at(-1))}`);
  return counts;
}

function failures(lines: readonly Line[]): string[] {
  const failed = lines.flatMap((line) => (line.failed === undefined ? [] : [line.failed]));
  return lines.some((line) => line.ended === true) ? failed : [...failed, 'it did not come to its end'];
}

function integrity(home: string): string[] {
  const database = new Database(join(home, DATABASE_FILE));
  try {
    const verdict = database.pragma('integrity_check', { simple: true });
    const foreign = database.pragma('foreign_key_check') as unknown[];
    return [
      ...(verdict === 'ok' ? [] : [`integrity: ${String(verdict)}`]),
      ...(foreign.length === 0 ? [] : [`${foreign.length} rows belong to nothing`]),
    ];
  } finally {
    database.close();
  }
}

/** How much an operator sees: sessions that are not marked as deleted, and rows of the audit. */
function shown(home: string): number {
  const database = new Database(join(home, DATABASE_FILE));
  try {
    const there = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'holders'").get();
    if (there === undefined) return 0;
    const count = database.prepare(
      'SELECT (SELECT count(*) FROM sessions WHERE deleted_at IS NULL) + (SELECT count(*) FROM audit)',
    );
    return Number(count.pluck().get());
  } finally {
    database.close();
  }
}

function eventsOf(home: string, name: string = DATABASE_FILE): JournalEvent[] {
  const database = new Database(join(home, name), { readonly: name !== DATABASE_FILE });
  try {
    const there = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'events'").get();
    if (there === undefined) return [];
    const rows = database.prepare('SELECT * FROM events ORDER BY seq').all() as {
      seq: number;
      session_id: string;
      run_id: string;
      at: number;
      body: string;
    }[];
    return rows.map(({ seq, session_id, run_id, at, body }) =>
      JournalEvent.parse({ seq, sessionId: session_id, runId: run_id, at, body: JSON.parse(body) }),
    );
  } finally {
    database.close();
  }
}

async function ledgerOf(home: string): Promise<number[]> {
  const text = await readFile(join(home, 'ledger'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

function finalAnswer(home: string): string | null {
  const last = eventsOf(home).findLast(({ body }) => body.type === 'assistant_message')?.body;
  if (last?.type !== 'assistant_message') return null;
  return last.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
