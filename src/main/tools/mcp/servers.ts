import type { Sandbox } from '../../sandbox/process';
import type { ActionTool } from '../tool';
import type { ServerPlace } from './connection';
import { mcpTool } from './mcp-tool';
import { reachInWords, type ServerDefinition, wordsOf } from './server';
import { ServerLink, type ServerNotice } from './server-link';

export interface ServerTool {
  readonly tool: ActionTool;
  /** The server's name. */
  readonly server: string;
}

export interface ServersPlace {
  readonly workspace: string;
  readonly sandbox: Sandbox;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The MCP servers of one run: started before it begins, ended with it. One that cannot be started is told of, and the
 * run goes on without its tools.
 */
export class RunServers {
  #notify: ((notice: ServerNotice) => void) | null = null;
  readonly #untold: ServerNotice[] = [];
  #closing: Promise<void> | null = null;

  private constructor(
    private readonly links: readonly ServerLink[],
    /** In the order of the agent file, and of each server's list. */
    readonly tools: readonly ServerTool[],
  ) {}

  /** @param signal ends the attempts, where nobody needs the servers any more; they are still to be closed */
  static async start(
    definitions: readonly ServerDefinition[],
    place: ServersPlace,
    signal?: AbortSignal,
  ): Promise<RunServers> {
    const told: ServerNotice[] = [];
    let tell = (notice: ServerNotice): void => void told.push(notice);
    const links = definitions.map((server) => new ServerLink(server, serverPlace(place), (notice) => tell(notice)));
    const stop = () => void Promise.all(links.map((link) => link.close()));
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    const tools = await Promise.all(links.map((link) => open(link, (notice) => tell(notice))));
    signal?.removeEventListener('abort', stop);
    const servers = new RunServers(links, tools.flat());
    servers.#untold.push(...told);
    tell = (notice) => servers.#tell(notice);
    return servers;
  }

  /** Says from now on what happens with the servers, and first what happened so far. */
  attach(notify: (notice: ServerNotice) => void): void {
    this.#notify = notify;
    for (const notice of this.#untold.splice(0)) notify(notice);
  }

  /** Ends every server with all of its processes; nothing is told of any more. Settles within 10 s. */
  close(): Promise<void> {
    this.#notify = null;
    this.#closing ??= Promise.all(this.links.map((link) => link.close())).then(() => undefined);
    return this.#closing;
  }

  #tell(notice: ServerNotice): void {
    if (this.#notify !== null) this.#notify(notice);
    else if (this.#closing === null) this.#untold.push(notice);
  }
}

async function open(link: ServerLink, tell: (notice: ServerNotice) => void): Promise<readonly ServerTool[]> {
  const { name, reach } = link.server;
  try {
    const { tools, problems } = await link.open();
    const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
    const how = reach.kind === 'stdio' ? 'was started' : 'is connected';
    tell({ level: 'info', text: `The MCP server ${name} ${how} with ${count}: ${reachInWords(reach)}` });
    for (const problem of problems) tell({ level: 'warning', text: `The MCP server ${name}: ${problem}` });
    return tools.map((tool) => ({ tool: mcpTool(link, tool), server: name }));
  } catch (error) {
    await link.close();
    tell({ level: 'error', text: `The MCP server ${name} is not used in this run: ${wordsOf(error)}.` });
    return [];
  }
}

function serverPlace({ workspace, sandbox, environment }: ServersPlace): ServerPlace {
  return {
    workspace,
    start: (argv) => sandbox.open({ argv, cwd: workspace, environment, workspace }),
  };
}
