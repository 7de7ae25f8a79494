import type { CallId } from '@shared/ids';
import { OUTPUT_LIMIT } from '../sandbox/capture';
import type { Permission } from '../sandbox/wider/permission';
import { StreamRedactor } from '../tools/redaction/stream-redactor';
import { type PreparedCall, type ToolIo, type ToolOutput, Unanswered } from '../tools/tool';
import { putQuestion } from './ask-question';
import { Batcher } from './batcher';
import type { Call, CallEnvironment } from './call-environment';
import { confirmed } from './confirm';
import { RunInterrupted, throwIfInterrupted } from './endings';
import { TimeLimit } from './time-limit';

/** How much of a command's output is journaled while it runs; the result holds its beginning and its end. */
const LIVE_LENGTH = 65_536;
const LIVE_INTERVAL_MS = 100;

/** A command is settled within 10 s of its end, whatever holds its pipes (semantics: the child process). */
const ENDING_MS = 12_000;

/** What a call came to. Secrets are taken out of its words. */
export interface Executed extends ToolOutput {
  readonly durationMs: number;
}

/**
 * Runs a call whose start is on record, and records its live output. Secrets are taken out of that and of what it came to
 * before they go anywhere.
 * @param beyond what this one execution may do beyond the policy of its run
 * @throws RunInterrupted when the app closes while the call asks the operator something: it has no result then
 */
export async function executeCall(
  call: Call,
  prepared: PreparedCall,
  environment: CallEnvironment,
  beyond: readonly Permission[] = [],
): Promise<Executed> {
  const { record, redactor, originals } = environment;
  const callId = call.block.id;
  const { sessionId } = record.ref;
  const began = Date.now();
  const live = new LiveRecord(callId, environment);
  try {
    const onOutput: ToolIo['onOutput'] = (text, bytes) => {
      originals.add(sessionId, callId, text);
      live.add(text, bytes);
    };
    const output = await bounded(call, prepared, environment, { onOutput, beyond }).finally(() =>
      originals.forget(sessionId, callId),
    );
    return { ...output, content: redactor.redact(output.content).text, durationMs: Date.now() - began };
  } finally {
    live.end();
  }
}

/** Puts the output of a running call on record, in batches and up to a bound. */
class LiveRecord {
  readonly #stream: StreamRedactor;
  readonly #batch: Batcher<string>;
  #bytes = 0;
  #shown = 0;
  #ended = false;

  constructor(callId: CallId, { record, redactor }: CallEnvironment) {
    this.#stream = new StreamRedactor(redactor);
    this.#batch = new Batcher<string>(LIVE_INTERVAL_MS, (pieces) => {
      const text = pieces.join('').slice(0, LIVE_LENGTH - this.#shown);
      this.#shown += text.length;
      record.append([{ type: 'call_output', callId, text, bytes: this.#bytes }], 'batched');
    });
  }

  add(text: string, bytes: number): void {
    this.#bytes = bytes;
    this.#batch.add(this.#stream.push(text));
  }

  /** Lets go of what was held back as the possible beginning of a secret. Nothing is recorded after this. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#bytes > 0) this.#batch.add(this.#stream.end(this.#bytes > OUTPUT_LIMIT ? 'cut' : 'whole'));
    this.#batch.flush();
  }
}

/** One call within its time. Whatever goes wrong in it is its result: what was started must end on record. */
async function bounded(
  call: Call,
  prepared: PreparedCall,
  environment: CallEnvironment,
  { onOutput, beyond }: Required<Pick<ToolIo, 'onOutput' | 'beyond'>>,
): Promise<ToolOutput> {
  const { signal, inbox, record } = environment;
  const { toolTimeoutMs } = environment.context;
  // A tool may go on when its call has ended; what it then prints or asks belongs to nothing.
  let over = false;
  const refuseWhenOver = () => {
    if (over) throw new Error('This call is over: nothing can be asked in it any more.');
  };
  const abort = new AbortController();
  const stop = () => abort.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  // A command keeps its own time, tells of it in its result, and may take a while to end its tree.
  const limitMs = prepared.preview.kind === 'command' ? toolTimeoutMs + ENDING_MS : toolTimeoutMs;
  const limit = new TimeLimit(limitMs, () =>
    abort.abort(new Error(`This call was ended: it timed out after ${toolTimeoutMs / 1000} s.`)),
  );
  const ask: ToolIo['ask'] = async (question, name) => {
    refuseWhenOver();
    const settlement = await limit.during(putQuestion(question, call, environment, name));
    if (!over) record.enter('acting');
    return settlement;
  };
  const confirm: ToolIo['confirm'] = async (question) => {
    refuseWhenOver();
    return confirmed(question, environment.settings.mode, ask);
  };
  const io: ToolIo = {
    signal: abort.signal,
    confirm,
    ask,
    beyond,
    onOutput: (text, bytes) => {
      if (!over) onOutput(text, bytes);
    },
  };
  try {
    return await prepared.execute(io);
  } catch (error) {
    if (error instanceof RunInterrupted) throw error;
    return { content: whyEnded(error, signal, abort.signal), isError: true };
  } finally {
    over = true;
    limit.end();
    inbox.settleCall(record.ref.runId, call.block.id);
    signal.removeEventListener('abort', stop);
  }
}

/** @throws RunInterrupted where the app closes and nobody knows what becomes of what the call began */
function whyEnded(error: unknown, run: AbortSignal, call: AbortSignal): string {
  const words = (what: unknown): string => (what instanceof Error ? what.message : String(what));
  if (!(error instanceof Unanswered)) {
    return run.aborted ? 'This call was ended before it was done: the run was stopped.' : words(error);
  }
  throwIfInterrupted(run);
  return `${run.aborted ? 'This call was ended: the run was stopped.' : words(call.reason)} ${error.message}`;
}
