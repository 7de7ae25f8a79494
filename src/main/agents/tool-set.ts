import type { ActionTool, QuestionTool, Tool } from '../tools/tool';
import type { AgentDefinition } from './definition';

export interface AvailableTools {
  /** The built-in tools for this machine. */
  readonly computer: readonly ActionTool[];
  /** ask_human_confirm, ask_human_select, ask_human_input. */
  readonly human: readonly QuestionTool[];
}

/** The tools that an agent has, in the order in which the model is told of them. */
export function toolSet(
  agent: Pick<AgentDefinition, 'computer' | 'humanInTheLoop'>,
  available: AvailableTools,
): readonly Tool[] {
  const tools = [...(agent.computer ? available.computer : []), ...(agent.humanInTheLoop ? available.human : [])];
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new Error(`two tools are named ${name}`);
    names.add(name);
  }
  return tools;
}

/** What the operator should know about an agent before it runs, and that does not keep it from running. */
export function toolWarnings(agent: Pick<AgentDefinition, 'confirmTags'>, tools: readonly Tool[]): readonly string[] {
  const tags = new Set(tools.flatMap((tool) => tool.tags));
  return agent.confirmTags
    .filter((tag) => !tags.has(tag))
    .map((tag) => `harness.confirm_tags: no tool of this agent is tagged "${tag}", so it gates nothing`);
}
