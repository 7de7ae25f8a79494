import { expect, it } from 'vitest';
import { derivedTitle } from '../../../src/main/sessions/derived-title';

it.each([
  ['Tidy up', 'fork', 'Tidy up (fork)'],
  ['Tidy up (fork)', 'fork', 'Tidy up (fork 2)'],
  ['Tidy up (fork 9)', 'fork', 'Tidy up (fork 10)'],
  ['Tidy up (fork)', 'cleared', 'Tidy up (fork) (cleared)'],
  ['(fork)', 'fork', '(fork) (fork)'],
  ['x'.repeat(300), 'fork', `${'x'.repeat(192)}… (fork)`],
] as const)('the title %s of a %s', (title, kind, derived) => {
  expect(derivedTitle(title, kind)).toBe(derived);
});
