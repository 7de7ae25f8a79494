import type { Sandbox } from '../../sandbox/process';
import { explainUnresolved, resolveProgram } from '../../sandbox/program';
import type { ActionTool } from '../tool';
import type { ServerPlace } from './connection';
import { mcpTool } from './mcp-tool';
import type { ServerNotice } from './notices';
import { reachInWords, type ServerDefinition, ServerError, wordsOf } from './server';
import { ServerLink } from './server-link';

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
    /** Names of servers whose tools are not known. */
    readonly unavailable: readonly string[],
    /** False where nobody tried. */
    readonly wereAsked: boolean,
    /** What was wrong with servers and their tools when they were started, in the order of the agent file. */
    readonly complaints: readonly string[],
  ) {}

  /** Servers of which nothing is known, because no run needs them. */
  static notStarted(definitions: readonly ServerDefinition[]): RunServers {
    const names = definitions.map(({ name }) => name);
    return new RunServers([], [], names, false, []);
  }

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
    const opened = await Promise.all(links.map((link) => open(link, place.sandbox, (notice) => tell(notice))));
    signal?.removeEventListener('abort', stop);
    const unavailable = links.flatMap((link, index) => (opened[index]?.tools === null ? [link.server.name] : []));
    const servers = new RunServers(
      links,
      opened.flatMap(({ tools }) => tools ?? []),
      unavailable,
      true,
      opened.flatMap(({ complaints }) => complaints),
    );
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

interface Opened {
  /** null where the server cannot be used. */
  readonly tools: readonly ServerTool[] | null;
  readonly complaints: readonly string[];
}

async function open(link: ServerLink, { tier }: Sandbox, tell: (notice: ServerNotice) => void): Promise<Opened> {
  const { name, reach } = link.server;
  try {
    const { tools, problems } = await link.open();
    const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
    const how = reach.kind === 'stdio' ? 'was started' : 'is connected';
    tell({ level: 'info', text: `The MCP server ${name} ${how} with ${count}: ${reachInWords(reach)}` });
    const complaints = problems.map((problem) => `The MCP server ${name}: ${problem}`);
    for (const text of complaints) tell({ level: 'warning', text });
    return { tools: tools.map((tool) => ({ tool: mcpTool(link, tool), server: name })), complaints };
  } catch (error) {
    await link.close();
    const confined = reach.kind === 'stdio' && tier.files === 'enforced';
    const hint = confined
      ? ' It starts in the sandbox: what it needs to read stands under sandbox.read of the agent file, and the network under sandbox.network.'
      : '';
    const text = `The MCP server ${name} is not used: ${wordsOf(error).replace(/\.$/, '')}.${hint}`;
    tell({ level: 'error', text });
    return { tools: null, complaints: [text] };
  }
}

function serverPlace({ workspace, sandbox, environment }: ServersPlace): ServerPlace {
  return {
    workspace,
    sandbox,
    async start([name, ...rest], onRefused) {
      const search = { cwd: '/', environment };
      const program = await resolveProgram(name, search);
      if (program === null) throw new ServerError(await explainUnresolved(name, search));
      return sandbox.open({ argv: [program, ...rest], cwd: workspace, environment, workspace, onRefused });
    },
  };
}

/**
 * The program of a server that is started, absolute; none where there is no such program. Relative places on the PATH do
 * not count: a server is never a file of the workspace that only has the right name.
 */
export async function serverProgram(
  { reach }: ServerDefinition,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const program = reach.kind === 'stdio' ? await resolveProgram(reach.argv[0], { cwd: '/', environment }) : null;
  return program === null ? [] : [program];
}
