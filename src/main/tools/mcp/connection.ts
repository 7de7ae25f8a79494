import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  type ElicitRequestFormParams,
  ElicitRequestSchema,
  type ElicitResult,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { OpenProcess, ProcessEnd, Sandbox } from '../../sandbox/process';
import type { Refusal } from '../../sandbox/refusal';
import { boundedFetch } from './bounded-fetch';
import { FloodGate } from './flood-gate';
import { LineTransport } from './line-transport';
import { type ServerDefinition, ServerError, wordsOf } from './server';
import { serverText } from './server-text';

/** How long a server may take to say who it is: `npx` may have to fetch it first. In milliseconds. */
const START_MS = 30_000;
/** How long it may take to list its tools, all pages together. */
const LIST_MS = 10_000;
const MAX_PAGES = 20;
/** How long it may take to show that it is there at all. */
const PING_MS = 5_000;
/** How long it may take to be told that its session is over. */
const GOODBYE_MS = 1_000;
/** A call has a limit of its own, which stands still while the operator is asked; the SDK's must not come first. */
const NO_LIMIT_MS = 2_147_483_647;
/** In characters, of what a server printed to stderr before it ended. */
const MAX_LAST_WORDS = 300;

/** An item is read by itself, so that one wrong definition is not the end of all. */
const ToolPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export interface ServerPlace {
  readonly workspace: string;
  /** What says where its run can write. */
  readonly sandbox: Sandbox;
  /** Starts the process of a stdio server. @throws Error where it cannot be started */
  readonly start: (
    argv: readonly [string, ...string[]],
    onRefused: ConnectionEvents['onRefused'],
  ) => Promise<OpenProcess>;
}

export interface ConnectionEvents {
  /** The connection is over, and nobody here wanted it; why, in words that follow the server's name. */
  readonly onEnd: (why: string) => void;
  readonly onListChanged: () => void;
  /** Its sandbox kept it from connecting somewhere. */
  readonly onRefused: (refusal: Refusal) => void;
  readonly elicit: (params: ElicitRequestFormParams, signal: AbortSignal) => Promise<ElicitResult>;
}

/** One connection to one server, from its start to its end. */
export class Connection {
  #closed = false;
  #opened = false;
  #why: string | null = null;
  #closing: Promise<void> | null = null;

  private constructor(
    private readonly client: Client,
    private readonly release: () => Promise<void>,
  ) {}

  /** @throws ServerError where the server cannot be started, does not answer in time, or is none */
  static async open(
    server: ServerDefinition,
    place: ServerPlace,
    events: ConnectionEvents,
    signal: AbortSignal,
  ): Promise<Connection> {
    if (signal.aborted) throw new ServerError('was not started: the run is over');
    return server.reach.kind === 'stdio'
      ? Connection.#overStdio(server.reach.argv, place, events, signal)
      : Connection.#overHttp(server.reach.url, place, events, signal);
  }

  static async #overStdio(
    argv: readonly [string, ...string[]],
    place: ServerPlace,
    events: ConnectionEvents,
    signal: AbortSignal,
  ) {
    const process = await place.start(argv, events.onRefused).catch((error: unknown) => {
      throw new ServerError(wordsOf(error));
    });
    let lastWords = '';
    const gate = new FloodGate();
    process.stderr.on('data', (chunk: Buffer) => {
      const why = gate.data(chunk.length);
      if (why !== null) connection.#fail(why, events);
      lastWords = (lastWords + chunk.toString('utf8')).slice(-4 * MAX_LAST_WORDS);
    });
    const connection: Connection = new Connection(newClient(place, events, true), () => process.end());
    const transport = new LineTransport(process, (why) => connection.#fail(why, events));
    void process.ended.then((end) => {
      connection.#fail(endInWords(end, lastWords), events);
      return transport.close();
    });
    return connection.#connect(transport, signal);
  }

  static async #overHttp(url: string, place: ServerPlace, events: ConnectionEvents, signal: AbortSignal) {
    const gate = new FloodGate();
    const broken = (why: string): void => {
      connection.#fail(why, events);
      void connection.close();
    };
    const http = new StreamableHTTPClientTransport(new URL(url), { fetch: boundedFetch(url, gate, broken) });
    const connection: Connection = new Connection(newClient(place, events, false), async () => {
      const gone = http.terminateSession().catch(() => undefined);
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS))]);
      await http.close();
    });
    // The SDK keeps what is set before, and calls it first.
    http.onmessage = () => {
      const why = gate.message();
      if (why !== null) broken(why);
    };
    // Its session id may be undefined, which the SDK's own types do not foresee under exactOptionalPropertyTypes.
    return connection.#connect(http as Transport, signal);
  }

  /** @param signal ends the attempt, where nobody needs the server any more */
  async #connect(transport: Transport, signal: AbortSignal): Promise<Connection> {
    const stop = () => void this.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) throw new ServerError('the run is over');
      await this.client.connect(transport, { timeout: START_MS });
      if (this.#why !== null) throw new ServerError(this.#why);
      this.#opened = true;
      return this;
    } catch (error) {
      const why = this.#why;
      await this.close();
      throw new ServerError(why ?? `did not start as an MCP server: ${serverText(wordsOf(error), MAX_LAST_WORDS)}`);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Every tool that the server lists, unread. @throws ServerError where it does not list them */
  async list(): Promise<readonly unknown[]> {
    const deadline = performance.now() + LIST_MS;
    const tools: unknown[] = [];
    let cursor: string | undefined;
    try {
      for (let page = 0; page < MAX_PAGES; page++) {
        const params = cursor === undefined ? {} : { cursor };
        const timeout = Math.max(1, deadline - performance.now());
        const read = await this.client.request({ method: 'tools/list', params }, ToolPage, { timeout });
        tools.push(...read.tools);
        if (read.nextCursor === undefined) return tools;
        cursor = read.nextCursor;
      }
    } catch (error) {
      throw new ServerError(`did not list its tools: ${serverText(wordsOf(error), MAX_LAST_WORDS)}`);
    }
    throw new ServerError(`lists its tools on more than ${MAX_PAGES} pages`);
  }

  /** @throws McpError what the server answers in place of a result, or that it cannot be reached any more */
  call(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
    const params = { name, arguments: { ...input } };
    return this.client.request({ method: 'tools/call', params }, CallToolResultSchema, {
      signal,
      timeout: NO_LIMIT_MS,
    });
  }

  /** Whether the server is there and answers at all. */
  async isAlive(): Promise<boolean> {
    return this.client.ping({ timeout: PING_MS }).then(
      () => true,
      () => false,
    );
  }

  /** Ends the connection and, with it, the server's processes. Settles within 10 s. */
  close(): Promise<void> {
    this.#closed = true;
    this.#closing ??= Promise.allSettled([this.release(), this.client.close()]).then(() => undefined);
    return this.#closing;
  }

  /** Ends the connection because of what the server does, and says so once. */
  #fail(why: string, events: ConnectionEvents): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#why = why;
    void this.close();
    // Whoever still waits for the connection is told by its failure.
    if (this.#opened) events.onEnd(why);
  }
}

/** Sampling is not offered: a server's words must not become the model's by a way of their own. */
function newClient(place: ServerPlace, events: ConnectionEvents, isLocal: boolean): Client {
  const client = new Client(
    { name: 'sayso', version: '1' },
    // Where the workspace lies is nothing that goes to another machine.
    { capabilities: { elicitation: { form: {} }, ...(isLocal ? { roots: {} } : {}) } },
  );
  if (isLocal) {
    const uri = pathToFileURL(place.workspace).href;
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri, name: 'workspace' }] }));
  }
  client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) =>
    params.mode === 'url' ? { action: 'decline' } : events.elicit(params, signal),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.onListChanged());
  return client;
}

function endInWords(end: ProcessEnd, lastWords: string): string {
  const said = serverText(lastWords.trim().slice(-MAX_LAST_WORDS), MAX_LAST_WORDS);
  const how =
    end.type === 'exited'
      ? `ended with exit code ${end.exitCode}`
      : end.type === 'signalled'
        ? `was ended by ${end.signal}`
        : end.type === 'not-started'
          ? end.message
          : 'was ended';
  return said === '' ? how : `${how}; its last words: ${said}`;
}
