import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../models/model';
import type { AgentDefinition } from './definition';

/**
 * What a session was started with, part by part, so that a resume can say what has changed since: a changed provider is
 * refused, a changed model or prompt needs "resume anyway", changed tools drop the grants, changed limits only warn.
 */
export interface AgentFingerprint {
  readonly provider: string;
  readonly model: string;
  /** SHA-256, hex: the prompt with the thinking setting and, for a scripted agent, its script. */
  readonly prompt: string;
  /**
   * SHA-256, hex: names, descriptions and schemas of the tools, whatever their order, with the programs and servers that
   * are behind them, and what of the machine their commands reach.
   */
  readonly tools: string;
  /** SHA-256, hex. */
  readonly limits: string;
}

const hash = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

/** JSON with sorted keys, so that the same content always gives the same text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** @param model the model's name as resolved, with the default filled in */
export function fingerprint(agent: AgentDefinition, model: string, tools: readonly ToolDefinition[]): AgentFingerprint {
  const byName = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  const listed = byName.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
  // The same tools of another program or server are other tools, and so are those that reach further.
  const behind = [
    agent.mcp.map(({ value }) => value),
    agent.applications.map(({ kind, program }) => [kind, program]),
    reach(agent),
    // What reaches the network, what asks, and what commands are given, decide what a remembered approval comes to.
    agent.privateHosts,
    agent.confirmTags,
    [...agent.environment.pass, ...Object.entries(agent.environment.set)],
  ];
  while (behind.at(-1)?.length === 0) behind.pop();
  return {
    provider: agent.provider,
    model,
    prompt: hash([agent.prompt, agent.thinking, agent.script]),
    tools: hash(behind.length === 0 ? listed : [listed, ...behind]),
    limits: hash(agent.limits),
  };
}

/** What the file opens to commands beyond the workspace, and what in it they may not write; nothing where it is silent. */
function reach({ sandbox: { policy } }: AgentDefinition): readonly unknown[] {
  const { network, read, write, protect } = policy;
  return network !== false || [read, write, protect].some(({ length }) => length > 0)
    ? [network, read, write, protect]
    : [];
}

/** SHA-256, hex, of all that makes an agent another one; limits do not. */
export function agentVersion({ provider, model, prompt, tools }: AgentFingerprint): string {
  return hash([provider, model, prompt, tools]);
}
