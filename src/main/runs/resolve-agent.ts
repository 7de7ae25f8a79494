import type { FileProblem } from '@shared/agent-file';
import type { AgentDefinition } from '../agents/definition';
import { type SourcedTool, toolSet } from '../agents/tool-set';
import { type GlobalFlag, locateApplications, wrappedTools } from '../agents/wrapped-tools';
import { modelName } from '../models/create-model';
import { type ToolSearch, toolSearch } from '../models/tool-search';
import { childEnvironment } from '../sandbox/environment';
import { confine } from '../sandbox/policy';
import type { Sandbox } from '../sandbox/process';
import { requirementProblem } from '../sandbox/requirement';
import { computerTools, humanTools } from '../tools/registry';
import { toolDefinition } from '../tools/tool-definition';

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
}

/**
 * Resolves an agent, for the screen and for the run alike. Fisk applications are run to describe themselves; nothing
 * else is, and nothing is changed.
 */
export async function resolveAgent(agent: AgentDefinition, parts: ResolveParts): Promise<ResolvedAgent> {
  const environment = childEnvironment({
    app: parts.environment,
    ...agent.environment,
    platform: process.platform,
  });
  const located = await locateApplications(agent.applications, environment);
  const programs = located.flatMap((one) => ('program' in one ? [one.program.resolved] : []));
  const { policy } = agent.sandbox;
  // Whoever names a program means it to run, so it can be read wherever it lies; what lies beside it cannot.
  const sandbox = confine(parts.sandbox, { ...policy, read: [...policy.read, ...programs] }, agent.sandbox);
  const wrapped = await wrappedTools(located, agent.globalFlags, environment, sandbox);
  const set = toolSet(agent, { computer: computerTools(), human: humanTools(), brought: wrapped.tools });
  const model = modelName(agent, parts.defaultModel);
  // Without the tools of an application that cannot be read, what else is said of tools would mislead.
  const requirement = requirementProblem(parts.sandbox.tier, agent.sandbox);
  const complete = wrapped.problems.length === 0;
  return {
    agent,
    model,
    environment,
    sandbox,
    tools: set.tools,
    globalFlags: wrapped.globalFlags,
    toolSearch: toolSearch(
      agent.provider,
      model,
      set.tools.map(({ tool }) => toolDefinition(tool)),
    ),
    warnings: [...agent.notes, ...wrapped.warnings, ...(complete ? set.warnings : [])],
    problems: [
      ...wrapped.problems,
      ...(complete ? set.problems : []),
      ...(requirement === null ? [] : [{ message: requirement.message, line: null, column: null }]),
    ],
    hint: requirement?.hint ?? null,
  };
}
