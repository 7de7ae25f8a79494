import { expect, test } from 'vitest';
import { claudeModel } from '../../../src/main/models/claude-models';
import { addTokens, costUsd } from '../../../src/main/models/prices';
import { thinkingFor } from '../../../src/main/models/thinking';

const million = { input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 };

test.each([
  ['claude-sonnet-4-5', 3 + 15 + 0.3 + 3.75],
  ['claude-sonnet-4-5-20250929', 3 + 15 + 0.3 + 3.75],
  ['claude-opus-4-1', 15 + 75 + 1.5 + 18.75],
  ['claude-opus-4-6', 5 + 25 + 0.5 + 6.25],
  ['claude-haiku-4-5', 1 + 5 + 0.1 + 1.25],
  ['claude-sonnet-5-5', 2 + 10 + 0.1 + 2.5],
])('%s has its price', (name, expected) => {
  expect(costUsd(name, million)).toBeCloseTo(expected, 10);
});

test.each(['gpt-9', 'claude-fable-5-2', 'claude-sonnet', 'constructor', ''])('%s has no known price', (name) => {
  expect(costUsd(name, million)).toBeNull();
  expect(claudeModel(name)).toBeNull();
});

test('a long prompt costs more where the model has such a price, cached tokens counted in', () => {
  const short = { input: 50_000, output: 1_000, cacheRead: 50_000, cacheWrite: 0 };
  const long = { ...short, cacheWrite: 1 };
  expect(costUsd('claude-haiku-5-5', short)).toBeCloseTo((50_000 * 0.1 + 1_000 * 0.5 + 50_000 * 0.01) / 1e6, 12);
  expect(costUsd('claude-haiku-5-5', long)).toBeCloseTo((50_000 * 0.5 + 1_000 * 2.5 + 50_000 * 0.05 + 0.625) / 1e6, 12);
});

test('nothing used costs nothing', () => {
  expect(costUsd('claude-sonnet-4-5', { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })).toBe(0);
});

test('tokens add up', () => {
  expect(addTokens(million, { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 })).toEqual({
    input: 1_000_001,
    output: 1_000_002,
    cacheRead: 1_000_003,
    cacheWrite: 1_000_004,
  });
});

const adaptive = { type: 'adaptive', display: 'summarized' };
test.each([
  ['claude-sonnet-4-5', false, undefined],
  ['claude-sonnet-4-5', true, { type: 'enabled', budget_tokens: 4_096 }],
  ['claude-opus-4-6', false, undefined],
  ['claude-opus-4-8', true, adaptive],
  ['claude-opus-5', false, { type: 'disabled' }],
  ['claude-sonnet-5-5', false, { type: 'between_tools' }],
  ['claude-sonnet-5-5', true, adaptive],
  ['claude-opus-5-5', false, adaptive],
  ['claude-newer-9', true, adaptive],
  ['some-local-model', true, { type: 'enabled', budget_tokens: 4_096 }],
  ['some-local-model', false, undefined],
])('thinking of %s, asked for: %s, is %j', (name, wanted, expected) => {
  expect(thinkingFor(name, wanted, 8_192)).toEqual(expected);
});
