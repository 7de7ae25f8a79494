import { MAX_TOKENS } from '@shared/events';
import { claudeModel } from './claude-models';

/** Tokens as the provider counts them; `input` without what was read from or written to the cache. */
export interface TokenCount {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_TOKENS: TokenCount = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The tokens of two, of each kind at most as many as the journal holds of one reply. */
export function addTokens(a: TokenCount, b: TokenCount): TokenCount {
  return {
    input: Math.min(a.input + b.input, MAX_TOKENS),
    output: Math.min(a.output + b.output, MAX_TOKENS),
    cacheRead: Math.min(a.cacheRead + b.cacheRead, MAX_TOKENS),
    cacheWrite: Math.min(a.cacheWrite + b.cacheWrite, MAX_TOKENS),
  };
}

export function sumTokens({ input, output, cacheRead, cacheWrite }: TokenCount): number {
  return input + output + cacheRead + cacheWrite;
}

/** What one request to this model costs, in US dollars; null where no price is known. */
export function costUsd(modelName: string, tokens: TokenCount): number | null {
  const model = claudeModel(modelName);
  if (model === null) return null;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  const { longPrompt } = model;
  const price = longPrompt !== undefined && prompt > longPrompt.tokens ? longPrompt.price : model.price;
  const millionths =
    tokens.input * price.input +
    tokens.output * price.output +
    tokens.cacheRead * price.cacheRead +
    tokens.cacheWrite * price.cacheWrite;
  return millionths / 1_000_000;
}
