import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { boundFiles } from '../computer/bound-files';
import { inFileLane } from '../file-lane';
import type { ToolIo } from '../tool';
import { ActiveCall } from './active-call';
import { Connection, type ConnectionEvents, type ServerPlace } from './connection';
import { Notices, type ServerNotice } from './notices';
import { type ServerDefinition, ServerError, wordsOf } from './server';
import { serverText } from './server-text';
import type { Offer } from './tool-list';
import { FRESH_MS, ToolWatch } from './tool-watch';

/** Before each start after an unexpected end, in milliseconds; then it is given up for this run. */
const RESTART_DELAYS_MS: readonly number[] = [250, 1_000, 3_000, 10_000, 30_000];
/** A server that held for so long has its restarts again. */
const STEADY_MS = 5 * 60_000;
/** In characters, of what a server says is wrong. */
const MAX_ERROR = 2_000;

/**
 * One server of one run: connected, listed, called, and connected again when it ends by itself. What it offered when the
 * run began is all that the run ever calls.
 */
export class ServerLink {
  #connection: Connection | null = null;
  /** A connection that is being made. */
  #connecting: Promise<unknown> = Promise.resolve();
  readonly #over = new AbortController();
  /** Connections that are being ended, their processes with them. */
  readonly #ends = new Set<Promise<void>>();
  /** Why there is no connection, for the model. */
  #absence = 'it has not been started';
  readonly #watch = new ToolWatch();
  #reading: Promise<void> | null = null;
  #files: Readonly<Record<string, string>> = {};
  #active: ActiveCall | null = null;
  #restarts = 0;
  #since = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #listTimer: NodeJS.Timeout | undefined;
  #restarting = false;
  readonly #notices: Notices;
  #closed = false;

  constructor(
    readonly server: ServerDefinition,
    private readonly place: ServerPlace,
    notify: (notice: ServerNotice) => void,
    private readonly restartDelaysMs: readonly number[] = RESTART_DELAYS_MS,
  ) {
    this.#notices = new Notices(server.name, notify);
  }

  /** Connects for the first time. @throws ServerError where that fails: the run goes on without this server's tools */
  async open(): Promise<Offer> {
    this.#files = await this.#filesOf();
    const connection = await this.#connect();
    return this.#watch.begin(this.server, await connection.list());
  }

  /**
   * Makes sure that a tool is still the one that the run was offered, by the list as it is now.
   * @throws ServerError where it is not, or the server cannot say
   */
  async check(name: string): Promise<void> {
    await this.#currentList();
    this.#watch.refuseOther(name);
  }

  /**
   * @throws ServerError what the server answers in place of a result, or why it does not answer
   * @throws the signal's reason when it was aborted
   */
  async call(name: string, input: Readonly<Record<string, unknown>>, io: ToolIo): Promise<CallToolResult> {
    const connection = this.#connection;
    // A server that was started anew meanwhile has to have shown that it is what was decided about.
    if (connection === null || !this.#watch.isKnown) throw this.#absent();
    this.#watch.refuseOther(name);
    const active = new ActiveCall(this.server.name, io);
    this.#active = active;
    try {
      return await connection.call(name, input, io.signal);
    } catch (error) {
      if (this.#connection !== connection) {
        io.signal.throwIfAborted();
        throw new ServerError('ended before it answered; the call may have been carried out in part');
      }
      if (io.signal.aborted || !(error instanceof McpError)) void this.#examine(connection);
      io.signal.throwIfAborted();
      const how = error instanceof McpError ? 'answers with an error' : 'gave no answer that can be read';
      throw new ServerError(`${how}: ${serverText(wordsOf(error), MAX_ERROR)}`);
    } finally {
      this.#active = null;
      await active.allAnswered();
    }
  }

  /** Ends the connection for good, and the server with it. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#notices.close();
    clearTimeout(this.#restartTimer);
    clearTimeout(this.#listTimer);
    this.#over.abort();
    if (this.#connection !== null) this.#drop(this.#connection);
    await this.#connecting;
    await Promise.all(this.#ends);
  }

  async #connect(): Promise<Connection> {
    let opened: Connection | null = null;
    let early: string | null = null;
    const events: ConnectionEvents = {
      onEnd: (why) => {
        if (opened === null) early = why;
        else this.#onEnd(opened, why);
      },
      onListChanged: () => this.#onListChanged(),
      onRefused: (refusal) => this.#notices.refused(refusal),
      // Only a call that the operator knows of can ask.
      elicit: async (params, signal) => (await this.#active?.elicit(params, signal)) ?? { action: 'decline' },
    };
    const connecting = Connection.open(this.server, this.place, events, this.#over.signal).then(async (connection) => {
      opened = connection;
      if (early === null && !this.#closed) return connection;
      await connection.close();
      throw new ServerError(early ?? 'was started too late: the run is over');
    });
    this.#connecting = connecting.catch(() => undefined);
    const connection = await connecting;
    this.#since = performance.now();
    this.#connection = connection;
    return connection;
  }

  #onEnd(connection: Connection, why: string): void {
    if (this.#closed || this.#connection !== connection) return;
    this.#drop(connection);
    if (performance.now() - this.#since > STEADY_MS) this.#restarts = 0;
    this.#scheduleRestart(why);
  }

  #scheduleRestart(why: string): void {
    const wait = this.restartDelaysMs[this.#restarts];
    if (wait === undefined) {
      this.#absence = 'it ended again and again, and is not started any more in this run';
      this.#notices.tell('error', `${why}. It is not started again in this run.`);
      return;
    }
    this.#restarts += 1;
    this.#absence = `it ended, and is started again within ${Math.ceil(wait / 1_000)} s`;
    this.#notices.tell('warning', `${why}. It is started again in ${wait / 1_000} s.`);
    this.#restarting = true;
    this.#restartTimer = setTimeout(() => void this.#restart(), wait);
  }

  async #restart(): Promise<void> {
    this.#restarting = false;
    try {
      const changed = await this.#changedFiles();
      if (changed.length > 0) {
        this.#absence = 'its own files changed, so it is not started again in this run';
        this.#notices.tell(
          'error',
          `is not started again in this run: ${changed.join(', ')} changed since it was started.`,
        );
        return;
      }
      await this.#connect();
      await this.#currentList();
      this.#notices.tell('info', 'was started again.');
    } catch (error) {
      // Where it ended under us, that has been seen to already.
      if (this.#closed || this.#restarting) return;
      if (this.#connection !== null) this.#drop(this.#connection);
      this.#scheduleRestart(wordsOf(error));
    }
  }

  /** Sees to it that the list was read just now. */
  async #currentList(): Promise<void> {
    if (this.#watch.isFresh) return;
    this.#reading ??= this.#readList().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #readList(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) throw this.#absent();
    let items: readonly unknown[];
    try {
      items = await connection.list();
    } catch (error) {
      void this.#examine(connection);
      throw error;
    }
    if (this.#connection !== connection) throw this.#absent();
    for (const change of this.#watch.read(items)) this.#notices.tell('warning', change);
  }

  #onListChanged(): void {
    if (this.#closed || !this.#watch.isKnown) return;
    this.#watch.outdate();
    this.#listTimer ??= setTimeout(() => {
      this.#listTimer = undefined;
      // A list that was being read when the change was announced may be the old one.
      this.#watch.outdate();
      // Whoever needs the list is told what is wrong with it.
      this.#currentList().catch(() => undefined);
    }, FRESH_MS);
  }

  /** Finds out whether a server that did not answer is there at all; one that is not is started anew. */
  async #examine(connection: Connection): Promise<void> {
    if (this.#closed || (await connection.isAlive()) || this.#closed || this.#connection !== connection) return;
    this.#onEnd(connection, 'does not answer any more, and was ended');
  }

  #drop(connection: Connection): void {
    this.#connection = null;
    this.#watch.forget();
    const end = connection.close().finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }

  #filesOf(): Promise<Record<string, string>> {
    const { reach } = this.server;
    if (reach.kind !== 'stdio') return Promise.resolve({});
    return inFileLane(() => boundFiles(this.place, this.place.workspace, reach.argv));
  }

  /** Files of the workspace that the server was started from: the run may have written them since. */
  async #changedFiles(): Promise<string[]> {
    const now = await this.#filesOf();
    return [...new Set([...Object.keys(now), ...Object.keys(this.#files)])].filter(
      (name) => now[name] !== this.#files[name],
    );
  }

  #absent(): ServerError {
    return new ServerError(
      `cannot be used now: ${this.#connection === null ? this.#absence : 'it was just started again'}`,
    );
  }
}
