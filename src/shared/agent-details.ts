import { z } from 'zod';
import { AgentInfo, FileProblem } from './agent-file';
import { JsonObject } from './json';
import { CallPreview, DisplayToken } from './requests';
import { ApprovalMode, Provider, SandboxTier } from './states';

/** What happens when the model calls a tool. */
export const ToolGate = z.enum(['runs', 'asks', 'refused']);
export type ToolGate = z.infer<typeof ToolGate>;

/** A tool as the agents page shows it: the same that the next run has. */
export const ToolInfo = z.strictObject({
  name: z.string(),
  /** `computer`, `you`, or the name of an application or a server. */
  source: z.string(),
  tags: z.array(z.string()),
  description: z.string(),
  /** JSON Schema of type object. */
  inputSchema: JsonObject,
  kind: z.enum(['action', 'question']),
  dangerous: z.boolean(),
  /** By the gate itself, for each mode; `tag` is the one that gates it in every mode. */
  gate: z.strictObject({ tag: z.string().nullable(), auto: ToolGate, ask: ToolGate, readonly: ToolGate }),
  /** The model finds it only by searching. */
  deferred: z.boolean(),
  /** Of an MCP server, which only runs during a run: such a call cannot be tried. */
  fromServer: z.boolean(),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

export const GlobalFlagInfo = z.strictObject({
  application: z.string(),
  name: z.string(),
  help: z.string(),
  required: z.boolean(),
  exposed: z.boolean(),
});
export type GlobalFlagInfo = z.infer<typeof GlobalFlagInfo>;

/** Whether an agent's MCP servers are started to list their tools. */
export const ServersAsked = z.enum(['leave', 'ask']);
export type ServersAsked = z.infer<typeof ServersAsked>;

/** An MCP server of an agent. */
export const ServerInfo = z.strictObject({
  name: z.string(),
  /** Its argument vector or its address. */
  reach: z.string(),
  /** `unasked` where it was not started to list its tools; why one is `unavailable` stands among the warnings. */
  state: z.enum(['unasked', 'listed', 'unavailable']),
  /** How many tools it offers, before the agent's include and exclude. */
  offered: z.number().int().nonnegative(),
});
export type ServerInfo = z.infer<typeof ServerInfo>;

/** Everything about an agent that its file only names, as the next run would get it. */
export const AgentDetails = z.strictObject({
  provider: Provider,
  /** With the default of the settings filled in. */
  model: z.string(),
  thinking: z.boolean(),
  mode: ApprovalMode,
  toolSearch: z.strictObject({ on: z.boolean(), why: z.string() }),
  sandbox: SandboxTier,
  /** `auto` asks all the same, because the sandbox lacks protections that the file does not accept to be without. */
  weak: z.boolean(),
  /** Names, never values. */
  environment: z.array(z.string()),
  tools: z.array(ToolInfo),
  servers: z.array(ServerInfo),
  globalFlags: z.array(GlobalFlagInfo),
  warnings: z.array(z.string()),
  problems: z.array(FileProblem),
});
export type AgentDetails = z.infer<typeof AgentDetails>;

/** An agent with its details; none where its file cannot be read. */
export const AgentWithDetails = z.strictObject({ agent: AgentInfo, details: AgentDetails.nullable() });
export type AgentWithDetails = z.infer<typeof AgentWithDetails>;

/** What a call would do; or why it could not be made, in the words that the model would get. */
export const Tried = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), command: z.array(DisplayToken), preview: CallPreview }),
  z.strictObject({ ok: z.literal(false), error: z.string() }),
]);
export type Tried = z.infer<typeof Tried>;
