import type { ApprovalMode, Provider } from '@shared/states';
import type { Script } from '../models/script';
import type { SandboxPolicy } from '../sandbox/policy';
import type { SandboxDemand } from '../sandbox/requirement';

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
  readonly humanInTheLoop: boolean;
  readonly confirmTags: readonly string[];
  readonly approvalMode: ApprovalMode;
  /** How long a request waits for its answer, in milliseconds. */
  readonly approvalTimeoutMs: number;
  readonly limits: AgentLimits;
  readonly environment: AgentEnvironment;
  readonly sandbox: AgentSandbox;
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
}

export interface AgentEnvironment {
  /** Names of variables that commands get from the app's own environment. */
  readonly pass: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}
