import type { FileProblem } from '@shared/agent-file';
import { DENY_TAG } from '../tools/command/tags';
import type { ActionTool, QuestionTool, Tool } from '../tools/tool';
import type { AgentDefinition, Place, Placed, ToolSelection } from './definition';

/** A tool, and where it comes from in a word that the operator knows. */
export interface SourcedTool {
  readonly tool: Tool;
  /** `computer`, `you`, or the name of an application or an MCP server. */
  readonly source: string;
  /** Where the agent file names its source; null for the built-in ones. */
  readonly place: Place | null;
}

export interface AvailableTools {
  /** The built-in tools for this machine. */
  readonly computer: readonly ActionTool[];
  /** http_request. */
  readonly http: readonly ActionTool[];
  /** ask_human_confirm, ask_human_select, ask_human_input. */
  readonly human: readonly QuestionTool[];
  /** What applications and MCP servers bring. */
  readonly brought: readonly SourcedTool[];
  /** Servers bring tools that are not known now. What a pattern finds cannot be told then. */
  readonly areSomeUnknown?: boolean;
}

export interface ToolSet {
  /** In the order in which the model is told of them. */
  readonly tools: readonly SourcedTool[];
  readonly warnings: readonly string[];
  /** What keeps the agent from running. */
  readonly problems: readonly FileProblem[];
}

type Chooser = Pick<AgentDefinition, 'computer' | 'http' | 'humanInTheLoop' | 'include' | 'exclude' | 'confirmTags'>;

/**
 * The tools that an agent has. In this order, each step only takes away:
 * 1. `ai:deny` removes a tool, wherever it comes from; nothing adds it back.
 * 2. `include`, where it names anything, keeps of what applications and MCP servers bring only the tools that one of its
 *    patterns finds in their name or that have one of its tags. It does not reach the built-in tools: `computer`,
 *    `harness` and `http` switch those on and off.
 * 3. `exclude` removes every tool, built-in or not, that one of its patterns or tags matches, included or not.
 *
 * A pattern of `include` that finds only built-in tools would seem to narrow them and does not: that is a problem. So are
 * two tools of one name, as a call could mean either.
 */
export function toolSet(agent: Chooser, available: AvailableTools): ToolSet {
  const builtIn: SourcedTool[] = [
    ...(agent.computer ? available.computer.map((tool) => ({ tool, source: 'computer', place: null })) : []),
    ...(agent.http ? available.http.map((tool) => ({ tool, source: 'computer', place: null })) : []),
    ...(agent.humanInTheLoop ? available.human.map((tool) => ({ tool, source: 'you', place: null })) : []),
  ];
  const brought = available.brought.filter(({ tool }) => !tool.tags.includes(DENY_TAG));
  const included = isEmpty(agent.include) ? brought : brought.filter(({ tool }) => matches(tool, agent.include));
  const tools = [...builtIn, ...included].filter(({ tool }) => !matches(tool, agent.exclude));
  return {
    tools,
    problems: [
      ...(available.areSomeUnknown === true ? [] : builtInIncludes(agent.include, builtIn, brought)),
      ...collisions(tools),
    ],
    warnings:
      available.areSomeUnknown === true
        ? []
        : [
            ...unmatched('include', agent.include, [...brought, ...builtIn]),
            ...unmatched('exclude', agent.exclude, [...brought, ...builtIn]),
            ...(brought.length > 0 && included.length === 0
              ? ['include keeps no tool of what the applications and servers bring']
              : []),
            ...toolWarnings(
              agent,
              tools.map(({ tool }) => tool),
            ),
          ],
  };
}

/** What the operator should know about an agent before it runs, and that does not keep it from running. */
export function toolWarnings(agent: Pick<AgentDefinition, 'confirmTags'>, tools: readonly Tool[]): readonly string[] {
  const tags = new Set(tools.flatMap((tool) => tool.tags));
  return agent.confirmTags
    .filter((tag) => !tags.has(tag))
    .map((tag) => `harness.confirm_tags: no tool of this agent is tagged "${tag}", so it gates nothing`);
}

const isEmpty = ({ tools, tags }: ToolSelection): boolean => tools.length === 0 && tags.length === 0;

/** Patterns were checked when the file was read: none of them can take long on a name. */
const finds = ({ value }: Placed<string>, tool: Tool): boolean => new RegExp(value, 'u').test(tool.name);

const tagged = (tag: string, tool: Tool): boolean => (tag === '' ? tool.tags.length === 0 : tool.tags.includes(tag));

function matches(tool: Tool, { tools, tags }: ToolSelection): boolean {
  return tools.some((pattern) => finds(pattern, tool)) || tags.some((tag) => tagged(tag, tool));
}

function unmatched(key: string, { tools, tags }: ToolSelection, all: readonly SourcedTool[]): string[] {
  const words = (kind: string, value: string) =>
    `${key}.${kind}: "${value}" matches no tool of this agent, so it does nothing`;
  return [
    ...tools
      .filter((pattern) => !all.some(({ tool }) => finds(pattern, tool)))
      .map(({ value }) => words('tools', value)),
    ...tags.filter((tag) => !all.some(({ tool }) => tagged(tag, tool))).map((tag) => words('tags', tag)),
  ];
}

function builtInIncludes(
  include: ToolSelection,
  builtIn: readonly SourcedTool[],
  brought: readonly SourcedTool[],
): FileProblem[] {
  return include.tools
    .filter((pattern) => !brought.some(({ tool }) => finds(pattern, tool)))
    .flatMap((pattern) => {
      const found = builtIn.find(({ tool }) => finds(pattern, tool));
      if (found === undefined) return [];
      const message = `include.tools: "${pattern.value}" finds only built-in tools such as ${found.tool.name}, and include chooses among those of applications and servers: take built-in tools away with exclude, or all of them with \`computer: false\``;
      return [{ message, ...pattern.place }];
    });
}

function collisions(tools: readonly SourcedTool[]): FileProblem[] {
  const owners = new Map<string, SourcedTool>();
  return tools.flatMap((sourced) => {
    const { name } = sourced.tool;
    const owner = owners.get(name);
    owners.set(name, owner ?? sourced);
    if (owner === undefined) return [];
    const place = sourced.place ?? owner.place ?? { line: null, column: null };
    const message = `two tools are named ${name}: one of ${owner.source}, one of ${sourced.source}. Leave one of the two out`;
    return [{ message, ...place }];
  });
}
