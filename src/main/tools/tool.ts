import type { CallPreview, QuestionForm, Settlement } from '@shared/requests';
import type { KeptBy } from '@shared/states';
import type { Sandbox } from '../sandbox/process';
import type { Refusal } from '../sandbox/refusal';
import type { Permission } from '../sandbox/wider/permission';

/** Where a tool works, and with what. One for a whole run. */
export interface ToolContext {
  /** The real path of the session's workspace. */
  readonly workspace: string;
  readonly sandbox: Sandbox;
  /** The environment that a child process gets: allow-listed, with what the agent file passes and sets. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long one call may work, in milliseconds. */
  readonly toolTimeoutMs: number;
}

export interface ToolIo {
  readonly signal: AbortSignal;
  readonly onOutput: (text: string, totalBytes: number) => void;
  /**
   * Asks whether to go on, in the middle of a call: auto says yes, readonly no, ask asks the operator. Waiting for the
   * answer does not use up the call's time. Only an explicit yes is true.
   * @throws when the app is closing; let it pass
   */
  readonly confirm: (question: string) => Promise<boolean>;
  /**
   * Puts a question to the operator in the middle of a call, whatever the mode; it stands in the inbox under `name`.
   * Waiting for the answer does not use up the call's time.
   * @throws when the app is closing; let it pass
   */
  readonly ask: (question: AskedQuestion, name: string) => Promise<Settlement>;
  /** What this one execution of a command may do beyond the policy of its run. Default: nothing. */
  readonly beyond?: readonly Permission[];
}

/** What the model is told. */
export interface ToolOutput {
  readonly content: string;
  readonly isError: boolean;
  /** Of a command that did not succeed: how it ended, and what the sandbox may have kept it from. */
  readonly refused?: { readonly exitCode: number; readonly from: readonly Refusal[] };
}

/**
 * A call that was understood and resolved and has not happened yet. `preview` and `bound` are what the decision is
 * about: the digest covers both, and the same call prepared again just before it runs must give the same digest.
 */
export interface PreparedCall {
  readonly preview: CallPreview;
  /** The rows that the operator reads: argv, or the tool's name and what it acts on. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** What the decision is bound to beyond the preview: hashes of file contents before and after, of script files. */
  readonly bound: Readonly<Record<string, string>>;
  /** The executable that a grant for "this command" is narrowed to; null where the tool itself is the command. */
  readonly program: string | null;
  /** Does it, and only it. What goes wrong is an error output; it throws only when the signal was aborted. */
  execute(io: ToolIo): Promise<ToolOutput>;
}

interface ToolBase {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of type object, for the model. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** A tool that acts. `dangerous` is a property of the tool, never guessed from arguments. */
export interface ActionTool extends ToolBase {
  readonly kind: 'action';
  readonly source: 'computer' | 'command' | 'mcp';
  readonly dangerous: boolean;
  /** What keeps its calls within bounds, for the operator to see. */
  readonly keptBy: KeptBy;
  /**
   * Checks the raw JSON text of the arguments and resolves what the call would do. Changes nothing.
   * @throws ToolError when the arguments are wrong or the call cannot work: the model is told, nobody is asked.
   */
  prepare(inputText: string, context: ToolContext): Promise<PreparedCall>;
  /**
   * The same for whoever must not learn what is in a file: as much of it as the arguments say. Default: `prepare`, which
   * then tells nothing of that but in the preview of a file.
   * @throws ToolError
   */
  outline?(inputText: string, context: ToolContext): Promise<CallOutline>;
}

export type CallOutline = Pick<PreparedCall, 'command' | 'preview'>;

/** A tool that asks the operator. It has no effect but the answer. */
export interface QuestionTool extends ToolBase {
  readonly kind: 'question';
  readonly source: 'human';
  /** @throws ToolError when the arguments are wrong. */
  parse(inputText: string): AskedQuestion;
}

export interface AskedQuestion {
  readonly question: string;
  readonly form: QuestionForm;
}

export type Tool = ActionTool | QuestionTool;

/** A call was ended, and what it asked of the system has not come back: it hangs there, out of anyone's reach. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';

  constructor() {
    super('The file system does not answer. What was asked of it may still come to be done.');
  }
}

/** In characters. What was wrong may be as long as the arguments themselves; it is read in every turn that follows. */
export const MAX_TOOL_ERROR = 4_000;

/** Wrong arguments, or a call that cannot work. The message is for the model: what is wrong and, if it helps, what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(message: string, options?: ErrorOptions) {
    super(message.length > MAX_TOOL_ERROR ? `${message.slice(0, MAX_TOOL_ERROR - 1)}…` : message, options);
  }
}
