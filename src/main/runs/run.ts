import type { EventOf } from '@shared/events';
import type { SessionId } from '@shared/ids';
import type { TerminalState } from '@shared/states';
import { UnallowedThings } from '../approvals/wider';
import { type LanguageModel, ModelError, type ModelReply, PromptTooLong, type ToolDefinition } from '../models/model';
import { troubleOf } from '../sessions/store-words';
import { toolDefinition } from '../tools/tool-definition';
import { askModel } from './ask-model';
import { brokenReply } from './broken-reply';
import { type CallEnvironment, deny, reject } from './call-environment';
import { Compaction } from './compaction';
import { ContextMeter, estimateTokens } from './context-meter';
import type { OpenCall } from './conversation';
import { RunInterrupted, RunStopped, throwIfInterrupted } from './endings';
import { RepetitionCounter, usedUp } from './limits';
import { resumeStartedCall } from './resume-call';
import { runCall } from './run-call';
import { spelledCall } from './shown-call';
import { leaveAsItWas, resumeRefusedCall } from './wider-call';

export interface RunParts extends Omit<CallEnvironment, 'signal' | 'unallowed'> {
  readonly model: LanguageModel;
}

type End = Omit<EventOf<'run_ended'>, 'type'>;

/** What is done with an open call, by how far it had come. */
const GO_ON = {
  new: (call: OpenCall, environment: CallEnvironment) => runCall(call, environment, call.settled),
  started: resumeStartedCall,
  refused: resumeRefusedCall,
} as const satisfies Record<OpenCall['progress'], unknown>;

/**
 * One run, from its start on record to its end on record. The loop: the model speaks, its calls are carried out one at a
 * time and in order, and again, until it has nothing more to do, a limit is reached, or somebody ends it.
 */
export class Run {
  readonly #abort = new AbortController();
  readonly #repetition = new RepetitionCounter();
  readonly #environment: CallEnvironment;
  #turns = 0;
  readonly #tools: readonly ToolDefinition[];
  readonly #meter: ContextMeter;
  readonly #compaction: Compaction;
  /** The last request was refused as too long: it is made shorter once, and then fails. */
  #refused = false;
  /** Settles when the end is on record. Rejects only when the store fails. */
  readonly ended: Promise<TerminalState>;

  constructor(private readonly parts: RunParts) {
    const { model, record, settings, tools } = parts;
    const { signal } = this.#abort;
    this.#environment = { ...parts, signal, unallowed: new UnallowedThings() };
    this.#tools = [...tools.values()].map(toolDefinition);
    this.#meter = new ContextMeter(model, settings.limits, estimateTokens([settings.systemPrompt, this.#tools]));
    const timeoutMs = settings.limits.callTimeoutMs;
    this.#compaction = new Compaction({ model, record, meter: this.#meter, timeoutMs, signal });
    // The start is on record already; the work begins once whoever made the run has it in hand.
    this.ended = Promise.resolve().then(() => this.#run());
  }

  get sessionId(): SessionId {
    return this.parts.record.ref.sessionId;
  }

  /** It was told to end, and winds down: nothing that is said now would be read in it. */
  get isEnding(): boolean {
    return this.#abort.signal.aborted;
  }

  /** A reply of the operator; on record when this returns, and read by the model at the next turn. */
  say(text: string): void {
    this.parts.record.append([{ type: 'user_message', text }]);
  }

  /** Ends the run because the operator says so: its requests are settled as stopped, its command is killed. */
  stop(): void {
    this.#finish(new RunStopped(), 'stopped');
  }

  /** Ends the run because the app closes: open requests stay undecided, and the session can be resumed. */
  interrupt(): void {
    this.#finish(new RunInterrupted(), 'interrupted');
  }

  #finish(reason: Error, outcome: 'stopped' | 'interrupted'): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort(reason);
    this.parts.inbox.settleRun(this.parts.record.ref.runId, outcome);
  }

  async #run(): Promise<TerminalState> {
    let end: End;
    try {
      end = await this.#loop();
    } catch (error) {
      end = this.#endOf(error);
    }
    // What was stopped is not asked again: a stop is the operator's word on every call that had not started.
    if (end.state === 'stopped') {
      for (const call of this.#open()) {
        if (call.progress === 'refused') leaveAsItWas(call, 'stopped', this.#environment);
        else deny(call, 'stopped', this.#environment, {}, spelledCall(call));
      }
    }
    this.parts.record.append([{ type: 'run_ended', ...end }]);
    return end.state;
  }

  #endOf(error: unknown): End {
    const reason: unknown = this.#abort.signal.reason;
    if (error instanceof RunInterrupted || reason instanceof RunInterrupted) {
      return { state: 'interrupted', reason: 'the app was closed' };
    }
    if (reason instanceof RunStopped) return { state: 'stopped', reason: 'stopped by you' };
    if (error instanceof ModelError) {
      return { state: 'failed', reason: error.message, ...(error.usage === null ? {} : { usage: error.usage }) };
    }
    const trouble = troubleOf(error);
    if (trouble !== null) return { state: 'failed', reason: `${trouble.message} ${trouble.remedy}` };
    const what = error instanceof Error ? error.message : String(error);
    return { state: 'failed', reason: `an unexpected error: ${what}` };
  }

  async #loop(): Promise<End> {
    for (;;) {
      this.#abort.signal.throwIfAborted();
      const limit = this.#usedUp();
      if (limit !== null) return { state: 'budget', reason: limit };
      if (this.#open().length === 0) {
        const end = await this.#modelTurn();
        if (end !== null) return end;
      } else {
        await this.#toolTurn();
      }
    }
  }

  /** The model's turn; its end, where the run has one here. */
  async #modelTurn(): Promise<End | null> {
    const { record } = this.parts;
    record.enter('thinking');
    // A summary costs, too: the limits are looked at again before the model is asked.
    if (await this.#compaction.beforeAsking()) return null;
    let reply: ModelReply;
    try {
      reply = await this.#ask();
    } catch (error) {
      if (!(error instanceof PromptTooLong)) throw error;
      if (this.#refused || !(await this.#compaction.afterRefusal(error))) throw this.#withFixedPart(error);
      this.#refused = true;
      return null;
    }
    this.#refused = false;
    this.#turns += 1;
    this.#meter.count(reply, record.conversation.messages);
    return this.#afterReply(reply);
  }

  /** The same error; it says so where it is the agent itself that is too long, which no summary makes shorter. */
  #withFixedPart(error: PromptTooLong): ModelError {
    const tokens = this.#meter.fixedPart(this.parts.record.conversation.messages);
    if (tokens === null) return error;
    const part = `The prompt and the tools of the agent alone come to about ${tokens.toLocaleString('en')} tokens`;
    const remedy = 'shorten the prompt, give it fewer tools, or choose a model that takes in more';
    return new ModelError(`${error.message}. ${part}: ${remedy}`, error.usage);
  }

  #ask(): Promise<ModelReply> {
    const { record, model, settings } = this.parts;
    const { conversation } = record;
    return askModel(
      model,
      {
        system: settings.systemPrompt,
        messages: conversation.messages,
        tools: this.#tools,
        maxOutputTokens: settings.limits.maxOutputTokens,
        thinking: settings.thinking,
        timeoutMs: settings.limits.callTimeoutMs,
      },
      conversation.turn + 1,
      record,
      this.#abort.signal,
    );
  }

  #afterReply(reply: ModelReply): End | null {
    const calls = reply.blocks.filter((block) => block.type === 'tool_use');
    const broken = brokenReply(reply, calls, this.parts.settings.limits.maxOutputTokens);
    if (broken !== null) return this.#fail(broken);
    // The provider paused in the middle of work of its own, such as a search: it goes on from what it has sent.
    if (reply.stopReason === 'pause_turn' && reply.blocks.length > 0 && calls.length === 0) return null;
    // Something the operator said meanwhile is still to be read.
    if (calls.length === 0) return this.#waitsForModel() ? null : { state: 'completed', reason: 'done' };
    const repetition = this.#repetition.next(reply.blocks);
    if (repetition === 'end') return this.#fail('the model asked for exactly the same calls five times in a row');
    if (repetition === 'warn') {
      const text =
        'You have asked for exactly the same calls three times in a row. Do something else, or say what is in the way.';
      this.parts.record.append([{ type: 'notice', level: 'warning', text, forModel: true }]);
    }
    return null;
  }

  async #toolTurn(): Promise<void> {
    for (const call of this.#open()) {
      throwIfInterrupted(this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      await GO_ON[call.progress](call, this.#environment);
    }
  }

  /** Ends the run as failed; the calls of the reply that failed it have an error for a result. */
  #fail(reason: string): End {
    for (const call of this.#open()) reject(call, this.#environment, `This call never ran: ${reason}.`);
    return { state: 'failed', reason };
  }

  #open() {
    return this.parts.record.conversation.open;
  }

  #waitsForModel(): boolean {
    return this.parts.record.conversation.messages.at(-1)?.role === 'user';
  }

  #usedUp(): string | null {
    const { session } = this.parts.record;
    const { tokens, costUsd } = session;
    return usedUp({ turns: this.#turns, tokens, costUsd }, this.parts.settings.limits);
  }
}
