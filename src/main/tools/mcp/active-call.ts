import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { ToolIo } from '../tool';
import { type ElicitationQuestion, elicitationQuestions, elicitResult, joined } from './elicitation';

/** Of one call: more than this is no question but a siege. */
const MAX_ELICITATIONS = 5;

/** A call that a server is answering, which may ask the operator something before it does. */
export class ActiveCall {
  /** The question that is open now. */
  #asking: Promise<unknown> | null = null;
  #asked = 0;

  constructor(
    private readonly serverName: string,
    private readonly io: ToolIo,
  ) {}

  /** One thing at a time; what cannot be asked is declined. */
  async elicit(params: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult> {
    const questions = elicitationQuestions(this.serverName, params);
    if (this.#asking !== null || this.#asked >= MAX_ELICITATIONS || questions === null) return { action: 'decline' };
    this.#asked += 1;
    const asking = this.#askAll(questions, signal);
    this.#asking = asking.then(
      () => {
        this.#asking = null;
      },
      () => undefined,
    );
    const result = await asking;
    return signal.aborted ? { action: 'cancel' } : result;
  }

  /** A call is not over while a question of it is open. */
  async allAnswered(): Promise<void> {
    await this.#asking;
  }

  /** One after the other, until one is not answered: then the rest is not asked. */
  async #askAll(questions: readonly ElicitationQuestion[], signal: AbortSignal): Promise<ElicitResult> {
    const results: ElicitResult[] = [];
    for (const question of questions) {
      const result = elicitResult(question, await this.io.ask(question.asked, `${this.serverName} elicitation`));
      results.push(result);
      if (result.action !== 'accept' || signal.aborted) break;
    }
    return joined(results);
  }
}
