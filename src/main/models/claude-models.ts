/**
 * What has to be known about Claude models and cannot be asked: prices, and how thinking is switched on and off.
 * As published at platform.claude.com/docs (pricing; thinking; migration guides), read on 2026-11-30.
 */

/** US dollars for a million tokens. Cache writes are those that live five minutes, the only ones that Sayso makes. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * - `manual`: off unless asked for, with a budget of tokens
 * - `adaptive`: off unless asked for; the model decides how much
 * - `on-unless-disabled`, `on-unless-between-tools`: on by itself; switched off by a type of that name
 * - `always`: cannot be switched off, or is not known to be
 */
export type ThinkingStyle = 'manual' | 'adaptive' | 'on-unless-disabled' | 'on-unless-between-tools' | 'always';

export interface ClaudeModel {
  readonly price: Price;
  /** The price where the prompt, cached tokens counted in, is longer than `tokens`. */
  readonly longPrompt?: { readonly tokens: number; readonly price: Price };
  readonly thinking: ThinkingStyle;
}

const price = (input: number, output: number, cacheRead: number, cacheWrite: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

const FABLE_5 = { price: price(10, 50, 1, 12.5), thinking: 'always' } as const;
const FABLE_5_1 = { price: price(10, 50, 0.25, 12.5), thinking: 'always' } as const;
const OPUS_4 = { price: price(15, 75, 1.5, 18.75), thinking: 'manual' } as const;
const SONNET_4 = { price: price(3, 15, 0.3, 3.75), thinking: 'manual' } as const;
const OPUS_PRICE = price(5, 25, 0.5, 6.25);

const MODELS: Readonly<Record<string, ClaudeModel>> = {
  'claude-fable-5-1': FABLE_5_1,
  'claude-mythos-5-1': FABLE_5_1,
  'claude-fable-5': FABLE_5,
  'claude-mythos-5': FABLE_5,
  'claude-opus-5-5': { price: price(4, 20, 0.2, 5), thinking: 'always' },
  'claude-opus-5': { price: OPUS_PRICE, thinking: 'on-unless-disabled' },
  'claude-opus-4-8': { price: OPUS_PRICE, thinking: 'adaptive' },
  'claude-opus-4-7': { price: OPUS_PRICE, thinking: 'adaptive' },
  'claude-opus-4-6': { price: OPUS_PRICE, thinking: 'adaptive' },
  'claude-opus-4-5': { price: OPUS_PRICE, thinking: 'manual' },
  'claude-opus-4-1': OPUS_4,
  'claude-opus-4': OPUS_4,
  'claude-sonnet-5-5': { price: price(2, 10, 0.1, 2.5), thinking: 'on-unless-between-tools' },
  'claude-sonnet-5': { price: price(2, 10, 0.2, 2.5), thinking: 'on-unless-disabled' },
  'claude-sonnet-4-6': { price: price(3, 15, 0.3, 3.75), thinking: 'adaptive' },
  'claude-sonnet-4-5': SONNET_4,
  'claude-sonnet-4': SONNET_4,
  'claude-haiku-5-5': {
    price: price(0.1, 0.5, 0.01, 0.125),
    longPrompt: { tokens: 100_000, price: price(0.5, 2.5, 0.05, 0.625) },
    thinking: 'always',
  },
  'claude-haiku-4-5': { price: price(1, 5, 0.1, 1.25), thinking: 'manual' },
};

/** The model of this name, with or without its date (`-20250929`) or `-latest`; null for one that is not listed. */
export function claudeModel(name: string): ClaudeModel | null {
  const family = name.replace(/-(\d{8}|latest)$/, '');
  return Object.hasOwn(MODELS, family) ? (MODELS[family] ?? null) : null;
}
