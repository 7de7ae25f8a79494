import type { RunServers } from '../tools/mcp/servers';
import type { PreparedAgent, Preparer } from './prepare-agent';
import type { Run } from './run';
import type { RunRecord } from './run-record';
import type { RunSettings } from './settings';

interface Wanted {
  readonly agentId: string;
  readonly workspace: string;
  /** null: as the agent file says. */
  readonly mode: RunSettings['mode'] | null;
  /** What was there before is not the run's, in milliseconds since the epoch; now, where it is left out. */
  readonly since?: number | undefined;
  /** Ends the preparing where nobody needs it any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Prepared agents, whose MCP servers run already: each is used by a run or let go, and none outlives its use. */
export class AgentsInUse {
  readonly #over = new AbortController();
  readonly #running = new Set<RunServers>();
  /** Agents that are being prepared, and servers that are being ended. */
  readonly #unfinished = new Set<Promise<unknown>>();

  constructor(
    private readonly preparer: Preparer,
    private readonly onStoreError: (error: unknown) => void,
  ) {}

  /**
   * Prepares an agent and hands it over. Unless a run serves itself of it by then, its servers are ended.
   * @throws Refusal when it cannot be prepared; whatever `use` throws
   */
  with<T>(
    { agentId, workspace, mode, since, signal }: Wanted,
    use: (prepared: PreparedAgent) => T | Promise<T>,
  ): Promise<T> {
    return this.#finish(async () => {
      const prepared = await this.#prepare({ agentId, workspace, mode, since, signal });
      try {
        return await use(prepared);
      } finally {
        if (!this.#running.has(prepared.servers)) await prepared.servers.close();
      }
    });
  }

  /** By hand: the oldest runtime that this runs on has no signal of several. */
  async #prepare({ agentId, workspace, mode, since, signal }: Wanted): Promise<PreparedAgent> {
    const signals = [this.#over.signal, ...(signal === undefined ? [] : [signal])];
    const either = new AbortController();
    const stop = () => either.abort();
    for (const one of signals) {
      if (one.aborted) stop();
      one.addEventListener('abort', stop, { once: true });
    }
    try {
      return await this.preparer.prepare(agentId, workspace, mode, { since, signal: either.signal });
    } finally {
      for (const one of signals) one.removeEventListener('abort', stop);
    }
  }

  /** Ties the servers to a run: what happens to them stands in its timeline, and they end with it. */
  serve({ servers, redactor }: PreparedAgent, record: RunRecord, run: Run): void {
    this.#running.add(servers);
    servers.attach(({ level, text }) => {
      try {
        record.append([{ type: 'notice', level, text: redactor.redact(text).text }]);
      } catch (error) {
        this.onStoreError(error);
      }
    });
    const end = () =>
      this.#finish(async () => {
        await servers.close();
        this.#running.delete(servers);
      });
    run.ended.then(end, end);
  }

  /** Lets nothing start any more, and waits until the servers of all runs have ended; the runs have to have ended. */
  async close(): Promise<void> {
    this.#over.abort();
    await Promise.all([...this.#running].map((servers) => servers.close()));
    await Promise.allSettled(this.#unfinished);
  }

  async #finish<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    this.#unfinished.add(working);
    try {
      return await working;
    } finally {
      this.#unfinished.delete(working);
    }
  }
}
