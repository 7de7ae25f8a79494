import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../../src/shared/requests';
import { MessagesServer } from '../support/messages-server';
import { agentFiles, PROGRAM, programText, replyTo } from './script';

/** What of a lane is kept as a beginning for others: all but what the app writes down for the drill. */
const KEPT = ['home', 'agents', 'work', 'outside', 'files'] as const;

/** Chromium's own files are many, and nothing of a session. */
const isChromium = /\/home\/(chromium|Singleton\w+|lockfile|DevToolsActivePort)(\/|$)/;

/**
 * One after another, lives of the app in the same folders. A session knows its folder and its agent by their paths, so a
 * beginning that was kept can only be put back where it was.
 */
export class Lane {
  /** The data folder. */
  readonly home: string;
  readonly agents: string;
  /** The session's workspace, with the program and the ledger. */
  readonly work: string;
  /** Beyond the workspace. */
  readonly outside: string;
  /** Where exports and backups are written to. */
  readonly files: string;
  /** What the app, in its lives since the beginning, has passed and acknowledged. */
  readonly log: string;
  /** What the operator has answered, by request; sent, and perhaps not received. */
  given = new Map<string, Answer>();
  readonly #kept = new Map<string, ReadonlyMap<string, Answer>>();

  private constructor(
    readonly folder: string,
    readonly server: MessagesServer,
  ) {
    this.home = join(folder, 'home');
    this.agents = join(folder, 'agents');
    this.work = join(folder, 'work');
    this.outside = join(folder, 'outside');
    this.files = join(folder, 'files');
    this.log = join(folder, 'log');
  }

  static async open(): Promise<Lane> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-drill-')));
    const server = await MessagesServer.start();
    server.respond(({ body }) => replyTo(body.messages));
    const lane = new Lane(folder, server);
    await lane.clear();
    return lane;
  }

  async close(): Promise<void> {
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get exported(): string {
    return join(this.files, 'drill.jsonl');
  }

  get backup(): string {
    return join(this.files, 'backup.sqlite');
  }

  /** A session of another home, to be taken in; where there is one. */
  get other(): string {
    return join(this.folder, 'other.jsonl');
  }

  /** Nothing but the agent and its program. */
  async clear(): Promise<void> {
    for (const name of KEPT) {
      await rm(join(this.folder, name), { recursive: true, force: true, maxRetries: 5 });
      await mkdir(join(this.folder, name), { mode: 0o700 });
    }
    const program = join(this.work, PROGRAM);
    await writeFile(program, programText(this.outside));
    await chmod(program, 0o755);
    for (const [name, text] of Object.entries(agentFiles(this.work))) await writeFile(join(this.agents, name), text);
    await this.forget();
    this.given = new Map();
  }

  /** Forgets what was acknowledged. */
  async forget(): Promise<void> {
    await writeFile(this.log, '');
  }

  async keep(name: string): Promise<void> {
    for (const part of KEPT) {
      const to = join(this.folder, 'kept', name, part);
      await cp(join(this.folder, part), to, { recursive: true, filter: (path) => !isChromium.test(path) });
    }
    this.#kept.set(name, new Map(this.given));
  }

  async restore(name: string): Promise<void> {
    for (const part of KEPT) {
      await rm(join(this.folder, part), { recursive: true, force: true, maxRetries: 5 });
      await cp(join(this.folder, 'kept', name, part), join(this.folder, part), { recursive: true });
    }
    await this.forget();
    this.given = new Map(this.#kept.get(name));
  }

  /** The steps that were begun, in order, each as often as it was. */
  async begun(): Promise<number[]> {
    const text = await readFile(join(this.work, 'ledger'), 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => (line.startsWith('begin ') ? [Number(line.slice('begin '.length))] : []));
  }
}
