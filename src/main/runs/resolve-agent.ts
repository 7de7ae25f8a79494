import type { FileProblem } from '@shared/agent-file';
import type { AgentDefinition } from '../agents/definition';
import { type SourcedTool, toolSet } from '../agents/tool-set';
import { type GlobalFlag, locateApplications, wrappedTools } from '../agents/wrapped-tools';
import { modelName } from '../models/create-model';
import { type ToolSearch, toolSearch } from '../models/tool-search';
import { childEnvironment } from '../sandbox/environment';
import { confine } from '../sandbox/policy';
import type { Sandbox } from '../sandbox/process';
import { withLinks } from '../sandbox/reach/openings';
import { requirementProblem } from '../sandbox/requirement';
import type { ServerDefinition } from '../tools/mcp/server';
import { RunServers, serverProgram } from '../tools/mcp/servers';
import { computerTools, httpTools, humanTools } from '../tools/registry';
import { toolDefinition } from '../tools/tool-definition';
import type { Guarded } from './guarded';

/** An agent with everything that its file only names: what the agents screen shows is what a run would get. */
export interface ResolvedAgent {
  readonly agent: AgentDefinition;
  /** With the default filled in. */
  readonly model: string;
  /** The whole environment of its commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** What its commands run in, under the policy of its file. */
  readonly sandbox: Sandbox;
  readonly tools: readonly SourcedTool[];
  /** Started where there is a workspace and the agent may run. To be closed by whoever asked for them. */
  readonly servers: RunServers;
  readonly globalFlags: readonly GlobalFlag[];
  readonly toolSearch: ToolSearch;
  readonly warnings: readonly string[];
  /** What keeps it from running. */
  readonly problems: readonly FileProblem[];
  /** What to do about the machine, where that is what keeps it from running. */
  readonly hint: string | null;
}

export interface ResolveParts {
  /** The app's own environment, of which commands get an allow-list. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly defaultModel: string;
  /** The one of this machine. */
  readonly sandbox: Sandbox;
  /** What in the folders that its commands can write is not theirs. */
  readonly guarded?: Guarded;
  /** Where MCP servers are started, for a run or to list their tools; null where none is to be. */
  readonly workspace?: string | null;
  /** Ends the starting of servers, where nobody needs them any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves an agent, for the screen and for the run alike. Fisk applications are run to describe themselves, and MCP
 * servers are started where there is a workspace; nothing else is, and nothing is changed.
 */
export async function resolveAgent(agent: AgentDefinition, parts: ResolveParts): Promise<ResolvedAgent> {
  const environment = childEnvironment({
    app: parts.environment,
    ...agent.environment,
    platform: process.platform,
  });
  const located = await locateApplications(agent.applications, environment);
  const servers = agent.mcp.map(({ value }) => value);
  const programs = [
    ...located.flatMap((one) => ('program' in one ? [one.program.resolved] : [])),
    ...(await Promise.all(servers.map((server) => serverProgram(server, environment)))).flat(),
  ];
  const { policy } = agent.sandbox;
  // Whoever names a program means it to run, so it can be read wherever it lies; what lies beside it cannot.
  const { guarded } = parts;
  const opened = await withLinks({ ...policy, ...guarded?.policy, read: [...policy.read, ...programs] });
  const sandbox = confine(parts.sandbox, opened, agent.sandbox);
  const wrapped = await wrappedTools(located, agent.globalFlags, environment, sandbox);
  const requirement = requirementProblem(parts.sandbox.tier, agent.sandbox);
  // In less than the sandbox that its file requires, nothing of it is to run.
  const workspace = requirement === null ? (parts.workspace ?? null) : null;
  const running =
    workspace === null
      ? RunServers.notStarted(servers)
      : await RunServers.start(servers, { workspace, sandbox, environment }, parts.signal);
  try {
    const made = { environment, sandbox, wrapped, running, requirement, defaultModel: parts.defaultModel };
    const resolved = assembled(agent, made);
    return { ...resolved, warnings: [...resolved.warnings, ...(guarded?.warnings ?? [])] };
  } catch (error) {
    await running.close();
    throw error;
  }
}

interface Made extends Pick<ResolvedAgent, 'environment' | 'sandbox'> {
  readonly wrapped: Awaited<ReturnType<typeof wrappedTools>>;
  readonly running: RunServers;
  readonly requirement: ReturnType<typeof requirementProblem>;
  readonly defaultModel: string;
}

function assembled(agent: AgentDefinition, made: Made): ResolvedAgent {
  const { environment, sandbox, wrapped, running, requirement } = made;
  const set = toolSet(agent, {
    computer: computerTools(agent.privateHosts),
    http: httpTools(agent.privateHosts),
    human: humanTools(),
    brought: [...wrapped.tools, ...sourced(running, agent)],
    areSomeUnknown: running.unavailable.length > 0,
  });
  const model = modelName(agent, made.defaultModel);
  // Without the tools of an application that cannot be read, what else is said of tools would mislead.
  const complete = wrapped.problems.length === 0;
  return {
    agent,
    model,
    environment,
    sandbox,
    tools: set.tools,
    servers: running,
    globalFlags: wrapped.globalFlags,
    toolSearch: toolSearch(
      agent.provider,
      model,
      set.tools.map(({ tool }) => toolDefinition(tool)),
    ),
    warnings: [
      ...agent.notes,
      ...wrapped.warnings,
      ...(complete ? set.warnings : []),
      ...(running.wereAsked ? [] : agent.mcp.map(({ value }) => unstarted(value))),
    ],
    problems: [
      ...wrapped.problems,
      ...(complete ? set.problems : []),
      ...(requirement === null ? [] : [{ message: requirement.message, line: null, column: null }]),
    ],
    hint: requirement?.hint ?? null,
  };
}

function sourced(servers: RunServers, agent: AgentDefinition): SourcedTool[] {
  return servers.tools.map(({ tool, server }) => {
    const place = agent.mcp.find(({ value }) => value.name === server)?.place ?? null;
    return { tool, source: server, place };
  });
}

function unstarted({ name, trustReadOnly }: ServerDefinition): string {
  const gate = trustReadOnly ? 'those that it calls read-only run without asking' : 'all of them are dangerous';
  return `The tools of the MCP server ${name} are known once it is started; ${gate}.`;
}
