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
  /** SHA-256, hex: names, descriptions and schemas of the tools, whatever their order. */
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
  // The same tools of another server are other tools.
  const servers = agent.mcp.map(({ value }) => value);
  return {
    provider: agent.provider,
    model,
    prompt: hash([agent.prompt, agent.thinking, agent.script]),
    tools: hash(servers.length === 0 ? listed : [listed, servers]),
    limits: hash(agent.limits),
  };
}
