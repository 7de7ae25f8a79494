import type { Allowance } from '@shared/allowances';
import type { StopReason } from '@shared/events';
import type { CallId, RequestId, RunId } from '@shared/ids';
import type { CallPreview, DisplayToken, QuestionForm, Settlement } from '@shared/requests';
import type { ApprovalMode, Denial, KeptBy, Outcome, SandboxTier, TerminalState } from '@shared/states';

/** One entry of the timeline. `key` is stable while the entry changes, so that its place on screen is too. */
export type Entry =
  | UserEntry
  | AgentEntry
  | ThinkingEntry
  | AskingEntry
  | RetryEntry
  | CallEntry
  | QuestionEntry
  | GrantEntry
  | NoticeEntry
  | CompactedEntry
  | RunStartEntry
  | RunEndEntry;

interface Base {
  readonly key: string;
  readonly at: number;
  readonly runId: RunId;
}

export interface UserEntry extends Base {
  readonly kind: 'user';
  readonly text: string;
}

/** What the model wrote. `live` while it is still streaming; `stop` where the reply did not end by itself. */
export interface AgentEntry extends Base {
  readonly kind: 'agent';
  readonly turn: number;
  readonly text: string;
  readonly live: boolean;
  readonly stop: StopReason | null;
}

export interface ThinkingEntry extends Base {
  readonly kind: 'thinking';
  readonly turn: number;
  /** Empty where the provider keeps the thinking to itself. */
  readonly text: string;
  readonly live: boolean;
}

/** The model was asked, for its turn or for a summary of older ones, and has not said anything yet. */
export interface AskingEntry extends Base {
  readonly kind: 'asking';
  readonly turn: number;
  readonly wanted: 'reply' | 'summary';
}

/** From here on the model is given a summary in place of what is above; nothing of that is gone. */
export interface CompactedEntry extends Base {
  readonly kind: 'compacted';
  /** How many messages the summary stands for, and how many of the newest before it the model still has word for word. */
  readonly replaced: number;
  readonly kept: number;
  readonly summary: string;
}

export interface RetryEntry extends Base {
  readonly kind: 'retry';
  readonly reason: string;
}

export interface CallEntry extends Base {
  readonly kind: 'call';
  readonly callId: CallId;
  readonly tool: string;
  /** The arguments as the model spelled them; null where only the later events of the call are loaded. */
  readonly inputText: string | null;
  readonly preview: CallPreview | null;
  readonly command: readonly DisplayToken[] | null;
  readonly phase: CallPhase;
  readonly allowed: Allowed | null;
  /** What keeps it within bounds, as its start or its request says; undefined where neither does. */
  readonly keptBy: KeptBy | undefined;
  /** The tier that its request showed. */
  readonly shownIn: SandboxTier | null;
  /** The tier that it ran in; null where it has not started, or its run began before what is loaded. */
  readonly ranIn: SandboxTier | null;
  readonly output: string;
  /** All that the command printed so far, of which `output` holds the beginning. */
  readonly outputBytes: number;
  readonly result: { readonly content: string; readonly isError: boolean } | null;
  readonly durationMs: number | null;
  /** What this run of it may do beyond the agent file, or where it waits for that, would. */
  readonly allows: readonly Allowance[];
  /** How often it was started, as far as that is loaded. */
  readonly starts: number;
  /** Earlier runs of it that the sandbox kept from something, in order. */
  readonly attempts: readonly Attempt[];
}

/** A run of a command after which the operator was asked whether it may run again with more. */
export interface Attempt {
  readonly content: string;
  readonly exitCode: number;
  readonly durationMs: number;
  /** What it was allowed beyond the agent file. */
  readonly allows: readonly Allowance[];
  /** What it would be allowed when it runs again: all of that, and more. */
  readonly asks: readonly Allowance[];
  /** How the question ended; null while it waits, or where it was not asked. */
  readonly answer: { readonly outcome: Outcome; readonly words: string; readonly afterMs: number } | null;
}

export type CallPhase =
  /** The model wants it; the gate has not come to it yet, or it was allowed and is about to start. */
  | { readonly is: 'queued' }
  | { readonly is: 'waiting'; readonly requestId: RequestId; readonly expiresAt: number }
  | { readonly is: 'running'; readonly since: number }
  /** It ran, and what it came to stands in its last attempt: whether it may run again is to be asked, or was. */
  | { readonly is: 'refused' }
  | { readonly is: 'ok' }
  | { readonly is: 'error' }
  /** Wrong arguments or an unknown tool: nobody was asked and nothing ran. */
  | { readonly is: 'invalid' }
  | {
      readonly is: 'denied';
      readonly outcome: Denial;
      /** The operator's own words, where they gave some. */
      readonly words: string;
      /** What the model was told. */
      readonly told: string;
    }
  /** It had started, and the run ended without its result: it may have done its work. */
  | { readonly is: 'lost' }
  /** The run ended before it came to this call. */
  | { readonly is: 'unstarted' };

/** Why a call may run: the operator said so after a while (`afterMs`), or a grant did. */
export type Allowed =
  | { readonly by: 'operator'; readonly afterMs: number }
  | { readonly by: 'grant' }
  | { readonly by: 'ungated' };

export interface QuestionEntry extends Base {
  readonly kind: 'question';
  readonly callId: CallId;
  readonly tool: string;
  readonly requestId: RequestId;
  readonly question: string;
  readonly form: QuestionForm;
  readonly expiresAt: number;
  readonly settled: { readonly settlement: Settlement; readonly afterMs: number } | null;
}

export interface GrantEntry extends Base {
  readonly kind: 'grant';
  readonly what: 'given' | 'revoked by you' | 'dropped by Sayso';
  readonly covers: string;
}

export interface NoticeEntry extends Base {
  readonly kind: 'notice';
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

export interface RunStartEntry extends Base {
  readonly kind: 'run-start';
  readonly resumed: boolean;
  readonly agent: string;
  readonly model: string;
  readonly mode: ApprovalMode;
}

export interface RunEndEntry extends Base {
  readonly kind: 'run-end';
  readonly state: TerminalState;
  readonly reason: string;
}
