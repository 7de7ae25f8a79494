import type { Readable, Writable } from 'node:stream';
import type { SandboxTier } from '@shared/states';
import type { SandboxPolicy } from './policy';
import type { Refusal } from './refusal';
import type { OfferPlace } from './wider/offer';
import type { Permission } from './wider/permission';

/** One process to start: exactly these tokens, no shell, no stdin. */
export interface ProcessSpec {
  readonly argv: readonly [string, ...string[]];
  /** An absolute path. */
  readonly cwd: string;
  /** The whole environment of the child; nothing is added from the app's own but the sandbox's own marker. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The session's workspace, which a confining tier opens for writing. */
  readonly workspace: string;
  /** What a confining tier allows beyond that. Default: nothing. */
  readonly policy?: SandboxPolicy;
  /** Told at once of a connection that its list of hosts does not let through; the first time for each place. */
  readonly onRefused?: (refusal: Refusal) => void;
  /** What this one execution may do beyond the policy of its run; only a sandbox of a run (`confine`) heeds it. */
  readonly beyond?: readonly Permission[];
}

export interface ProcessIo {
  /** Aborting it ends the whole tree: SIGTERM, after 2 s SIGKILL. */
  readonly signal: AbortSignal;
  /** stdout and stderr in arrival order, as text cut only between characters; with the bytes printed so far. */
  readonly onOutput: (text: string, totalBytes: number) => void;
}

export type ProcessEnd =
  | { readonly type: 'exited'; readonly exitCode: number }
  | { readonly type: 'signalled'; readonly signal: string }
  | { readonly type: 'timed-out' }
  | { readonly type: 'stopped' }
  /** It never ran: not found, not executable, no such folder. `message` is for model and operator. */
  | { readonly type: 'not-started'; readonly message: string };

export interface ProcessResult {
  readonly end: ProcessEnd;
  /** At most 65,536 bytes verbatim, else the first and last 32,768 with a marker between (semantics: child process). */
  readonly output: string;
  readonly truncated: boolean;
  readonly durationMs: number;
  /** For model and operator: which limit ended it, what the sandbox refused; as far as that can be known. */
  readonly notes?: readonly string[];
  /** What the sandbox kept the command from. A guess where it was read from the output: to be checked before any use. */
  readonly refused?: readonly Refusal[];
}

/** A process that stays and is spoken with, such as a server. It has no time limit. */
export type OpenSpec = Omit<ProcessSpec, 'timeoutMs' | 'beyond'>;

export interface OpenProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended: once nothing of its tree is left and its output was read. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole tree: SIGTERM, after 2 s SIGKILL. Settles within 10 s. */
  end(): Promise<void>;
}

/** Starts processes in one sandbox tier. */
export interface Sandbox {
  readonly tier: SandboxTier;
  /** What all of its processes are under, where that was said (`confine`). A decision is about this as well. */
  readonly policy?: SandboxPolicy;
  /** Real paths that nothing of a run gets to see, whatever the policy says: the app's own data. */
  readonly hidden?: readonly string[];
  /** It lacks protections that the agent file did not accept, so even an `auto` run asks. Default: false. */
  readonly isWeak?: boolean;
  /** Never rejects: what can go wrong is a `ProcessEnd`. Settles within 10 s of a stop, whatever holds the pipes. */
  run(spec: ProcessSpec, io: ProcessIo): Promise<ProcessResult>;
  /** Which of these refusals one execution may be spared, after a look at each place. Without it: none. Never rejects. */
  offer?(wanted: readonly Refusal[], place: OfferPlace): Promise<readonly Permission[]>;
  /** Starts a process that stays. @throws Error with words for model and operator, where it cannot be started */
  open(spec: OpenSpec): Promise<OpenProcess>;
}
