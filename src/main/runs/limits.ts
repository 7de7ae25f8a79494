import type { AssistantBlock } from '@shared/events';
import type { Limits } from './settings';

export interface Spent {
  /** Turns of this run. */
  readonly turns: number;
  /** Tokens of the whole session. */
  readonly tokens: number;
  readonly costUsd: number | null;
}

/** Which limit is used up, in words for the operator; null while there is room (semantics: the loop). */
export function usedUp(spent: Spent, limits: Limits): string | null {
  if (spent.turns >= limits.maxTurns) return `the limit of ${limits.maxTurns} turns is used up`;
  if (spent.tokens >= limits.maxTokens)
    return `the limit of ${limits.maxTokens.toLocaleString('en')} tokens is used up`;
  const { maxCostUsd } = limits;
  if (maxCostUsd !== null && spent.costUsd !== null && spent.costUsd >= maxCostUsd) {
    return `the limit of $${maxCostUsd.toFixed(2)} is used up`;
  }
  return null;
}

/** Three identical turns warn the model, five end the run. */
const WARN_AT = 3;
const END_AT = 5;

export type Repetition = 'none' | 'warn' | 'end';

/** Counts turns that ask for exactly the same calls as the one before; plain answers start anew. */
export class RepetitionCounter {
  #last = '';
  #count = 0;

  next(blocks: readonly AssistantBlock[]): Repetition {
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.inputText]] : []));
    const key = JSON.stringify(calls);
    this.#count = calls.length > 0 && key === this.#last ? this.#count + 1 : 1;
    this.#last = key;
    if (this.#count >= END_AT) return 'end';
    return this.#count === WARN_AT ? 'warn' : 'none';
  }
}
