import type { ApprovalMode } from '@shared/states';

export interface Limits {
  readonly maxTurns: number;
  /** All tokens of the session, input and output. */
  readonly maxTokens: number;
  readonly maxCostUsd: number | null;
  /** How long one model reply may take. */
  readonly callTimeoutMs: number;
  /** How long one tool call may work; the operator's waiting does not count. */
  readonly toolTimeoutMs: number;
  readonly maxOutputTokens: number;
  /** What the model takes in, in tokens; left out where the provider is to say. */
  readonly contextTokens?: number;
}

/** What a run takes from its agent and from the start dialog. Fixed for the run. */
export interface RunSettings {
  readonly agentId: string;
  /** Another one as soon as the agent is not what it was: its model, its prompt, its tools or what they reach. */
  readonly agentVersion: string;
  readonly agentName: string;
  readonly systemPrompt: string;
  readonly thinking: boolean;
  readonly mode: ApprovalMode;
  readonly confirmTags: readonly string[];
  readonly approvalTimeoutMs: number;
  readonly limits: Limits;
}
