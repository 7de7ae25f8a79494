import { claudeModel } from './claude-models';

/** Tokens as the provider counts them; `input` without what was read from or written to the cache. */
export interface TokenCount {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_TOKENS: TokenCount = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addTokens(a: TokenCount, b: TokenCount): TokenCount {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
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
