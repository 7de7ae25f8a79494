import type { AllowedHost } from '@shared/agent-hosts';
import type { ApprovalMode, Provider } from '@shared/states';
import type { Script } from '../models/script';
import type { SandboxPolicy } from '../sandbox/policy';
import type { SandboxDemand } from '../sandbox/requirement';
import type { Manifest } from '../tools/command/description';
import type { ServerDefinition } from '../tools/mcp/server';

/** An agent, read from its file and resolved: nothing in it is relative any more. */
export interface AgentDefinition {
  /** Stable for as long as the file stays where it is. */
  readonly id: string;
  /** The file; null for an agent that ships with the app. */
  readonly path: string | null;
  readonly name: string;
  readonly description: string;
  readonly provider: Provider;
  /** null: the one in the settings. */
  readonly model: string | null;
  readonly thinking: boolean;
  readonly prompt: string;
  /** Set exactly where the provider is `scripted`. */
  readonly script: Script | null;
  /** The default for new runs, absolute; null where the operator has to choose. */
  readonly workspace: string | null;
  readonly computer: boolean;
  /** Whether it has http_request. */
  readonly http: boolean;
  /** What fetch_url and http_request may reach beyond the public internet. */
  readonly privateHosts: readonly AllowedHost[];
  readonly applications: readonly ApplicationReference[];
  readonly mcp: readonly Placed<ServerDefinition>[];
  readonly include: ToolSelection;
  readonly exclude: ToolSelection;
  /** Names of application flags that the tools expose besides the required ones. */
  readonly globalFlags: readonly Placed<string>[];
  readonly humanInTheLoop: boolean;
  readonly confirmTags: readonly string[];
  readonly approvalMode: ApprovalMode;
  /** How long a request waits for its answer, in milliseconds. */
  readonly approvalTimeoutMs: number;
  readonly limits: AgentLimits;
  readonly environment: AgentEnvironment;
  readonly sandbox: AgentSandbox;
  /** The other files that it was read from, absolute. */
  readonly files: readonly string[];
  /** What its file says and Sayso does not carry out, for the operator. Nothing that would have restricted the agent. */
  readonly notes: readonly string[];
}

/** A place in the agent file, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A value of the agent file that can turn out to be wrong only later. */
export interface Placed<T> {
  readonly value: T;
  readonly place: Place;
}

/** A program whose commands become tools. `program` is a name on the PATH of its commands, or an absolute path. */
export type ApplicationReference =
  | { readonly kind: 'fisk'; readonly program: string; readonly place: Place }
  | { readonly kind: 'manifest'; readonly program: string; readonly manifest: Manifest; readonly place: Place };

/** Tools by their names and tags: what matches any of these is meant. Empty: it means nothing. */
export interface ToolSelection {
  /** Regular expressions that are looked for in the name. */
  readonly tools: readonly Placed<string>[];
  /** Exact; "" means tools without any tag. */
  readonly tags: readonly string[];
}

/** What has to hold for a run, and what its commands may do beyond their workspace; paths resolved. */
export interface AgentSandbox extends SandboxDemand {
  readonly policy: SandboxPolicy;
}

export interface AgentLimits {
  readonly maxTurns: number;
  /** Of the whole session. */
  readonly maxTokens: number;
  readonly maxCostUsd: number | null;
  /** How long one model reply may take, in milliseconds. */
  readonly callTimeoutMs: number;
  /** How long one tool call may work, in milliseconds; the operator's time does not count. */
  readonly toolTimeoutMs: number;
  readonly maxOutputTokens: number;
  /** What the model takes in, in tokens; left out where the provider is to say. */
  readonly contextTokens?: number;
}

export interface AgentEnvironment {
  /** Names of variables that commands get from the app's own environment. */
  readonly pass: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}
