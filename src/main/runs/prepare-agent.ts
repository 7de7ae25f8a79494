import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServersAsked } from '@shared/agent-details';
import type { FileProblem } from '@shared/agent-file';
import type { Provider } from '@shared/states';
import type { AgentDefinition } from '../agents/definition';
import { type AgentFingerprint, agentVersion, fingerprint } from '../agents/fingerprint';
import type { AgentLibrary } from '../agents/library';
import { createModel, type ModelConnection } from '../models/create-model';
import type { LanguageModel } from '../models/model';
import type { Sandbox } from '../sandbox/process';
import type { RunServers } from '../tools/mcp/servers';
import { knownSecrets } from '../tools/redaction/known-secrets';
import { createRedactor, type KnownSecret, type Redactor } from '../tools/redaction/redactor';
import type { Tool, ToolContext } from '../tools/tool';
import { guardedIn } from './guarded';
import { Refusal } from './refusal';
import { type ResolvedAgent, resolveAgent } from './resolve-agent';
import type { RunSettings } from './settings';
import { openWorkspace } from './workspace';

/** All that a run needs of its agent, checked: nothing of it is read again while the run lasts. */
export interface PreparedAgent {
  readonly settings: RunSettings;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly context: ToolContext;
  readonly model: LanguageModel;
  readonly provider: Provider;
  readonly redactor: Redactor;
  readonly fingerprint: AgentFingerprint;
  /** They run already: whoever has this closes them. */
  readonly servers: RunServers;
  readonly warnings: readonly string[];
}

export interface PreparerParts {
  readonly library: AgentLibrary;
  readonly sandbox: Sandbox;
  /** The key and the server as they are now. */
  readonly connection: () => ModelConnection;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The app's own data folder, which no workspace may touch. */
  readonly dataFolder: string;
}

/** Turns an agent file and a workspace into what a run works with, or says why not. */
export class Preparer {
  readonly #over = new AbortController();
  /** Agents whose servers are started only to list their tools. */
  readonly #asking = new Set<Promise<unknown>>();

  constructor(private readonly parts: PreparerParts) {}

  /**
   * @param mode the start dialog's choice, over the file's; null for the file's
   * @param how since when what comes to be in the workspace is the run's, in milliseconds since the epoch, now by default;
   *   and what ends the starting of MCP servers
   * @throws Refusal when the agent, its key or the workspace will not do
   */
  async prepare(
    agentId: string,
    workspace: string,
    mode: RunSettings['mode'] | null,
    { since, signal }: { readonly since?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<PreparedAgent> {
    const agent = await this.#agent(agentId);
    const connection = this.parts.connection();
    if (agent.provider === 'anthropic' && connection.apiKey === null) {
      throw new Refusal(
        'refused',
        `The agent ${agent.name} needs an Anthropic API key, and there is none.`,
        'Enter one in Settings, or start Sayso with ANTHROPIC_API_KEY set.',
      );
    }
    const chosenMode = mode ?? agent.approvalMode;
    const folder = await openWorkspace(workspace, chosenMode, this.parts.dataFolder);
    const resolved = await this.#resolve(agent, folder, { since, signal });
    try {
      return this.#prepared(resolved, chosenMode, folder, connection);
    } catch (error) {
      await resolved.servers.close();
      throw error;
    }
  }

  #prepared(
    resolved: ResolvedAgent,
    mode: RunSettings['mode'],
    folder: string,
    connection: ModelConnection,
  ): PreparedAgent {
    const { agent, environment } = resolved;
    if (resolved.problems.length > 0) throw cannotRun(agent.name, resolved.problems, resolved.hint);
    const tools = resolved.tools.map(({ tool }) => tool);
    const print = fingerprint(agent, resolved.model, tools);
    return {
      settings: settingsOf(agent, agentVersion(print), mode),
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      context: {
        workspace: folder,
        sandbox: resolved.sandbox,
        environment,
        toolTimeoutMs: agent.limits.toolTimeoutMs,
      },
      model: createModel(agent, connection),
      provider: agent.provider,
      redactor: createRedactor({ known: knownSecrets(this.parts.environment, environment, connection.apiKey) }),
      fingerprint: print,
      servers: resolved.servers,
      warnings: resolved.warnings,
    };
  }

  /**
   * The agent as the next run would have it.
   * @param servers `ask` starts its MCP servers as a run does, to list their tools: they have ended when this settles
   * @throws Refusal when there is none, or its file cannot be read, or its workspace will not do for its servers
   */
  async resolve(agentId: string, servers: ServersAsked = 'leave'): Promise<ResolvedAgent> {
    const agent = await this.#agent(agentId);
    if (servers === 'leave' || agent.mcp.length === 0) return this.#resolve(agent, null);
    const asked = this.#ask(agent);
    this.#asking.add(asked);
    return asked.finally(() => this.#asking.delete(asked));
  }

  /** What of the app's own is never to be shown, whatever agent it is about. */
  secrets(): KnownSecret[] {
    return knownSecrets(this.parts.environment, {}, this.parts.connection().apiKey);
  }

  /** Ends the servers that were started only to list their tools. */
  async close(): Promise<void> {
    this.#over.abort();
    await Promise.allSettled(this.#asking);
  }

  async #ask(agent: AgentDefinition): Promise<ResolvedAgent> {
    const { workspace, approvalMode } = agent;
    if (workspace !== null)
      return this.#listed(agent, await openWorkspace(workspace, approvalMode, this.parts.dataFolder));
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-servers-')));
    try {
      return await this.#listed(agent, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #listed(agent: AgentDefinition, folder: string): Promise<ResolvedAgent> {
    const resolved = await this.#resolve(agent, folder, { signal: this.#over.signal });
    await resolved.servers.close();
    return resolved;
  }

  async #resolve(
    agent: AgentDefinition,
    workspace: string | null,
    {
      since = Date.now(),
      signal,
    }: { readonly since?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ResolvedAgent> {
    const { environment, sandbox, connection, library } = this.parts;
    const { defaultModel } = connection();
    const parts = { environment, sandbox, defaultModel, workspace, signal };
    if (workspace === null) return resolveAgent(agent, parts);
    const writable = [workspace, ...agent.sandbox.policy.write] as const;
    const guarded = await guardedIn(writable, await library.watched(), since);
    return resolveAgent(agent, { ...parts, guarded });
  }

  async #agent(agentId: string): Promise<AgentDefinition> {
    const load = await this.parts.library.get(agentId);
    if (load === null) {
      throw new Refusal(
        'not-found',
        `The agent ${agentId} is not there any more.`,
        'Put its file back, or open it with "Open agent file".',
      );
    }
    if (load.ok) return load.agent;
    throw cannotRun(load.name, load.problems);
  }
}

function cannotRun(name: string, problems: readonly FileProblem[], hint: string | null = null): Refusal {
  const words = problems.map(({ message, line, column }) =>
    line === null ? message : `line ${line}${column === null ? '' : `, column ${column}`}: ${message}`,
  );
  const remedy = hint ?? 'Mend its file, then try again.';
  return new Refusal('refused', `The agent ${name} cannot run here. ${words.join('. ')}`, remedy);
}

function settingsOf(agent: AgentDefinition, version: string, mode: RunSettings['mode']): RunSettings {
  const {
    id: agentId,
    name: agentName,
    prompt: systemPrompt,
    thinking,
    confirmTags,
    approvalTimeoutMs,
    limits,
  } = agent;
  return {
    agentId,
    agentVersion: version,
    agentName,
    systemPrompt,
    thinking,
    mode,
    confirmTags,
    approvalTimeoutMs,
    limits,
  };
}
