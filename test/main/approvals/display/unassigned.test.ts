import { expect, it } from 'vitest';
import { isUnassigned } from '../../../../src/main/approvals/display/unassigned';

it('knows as unassigned whatever this runtime, which is no older, knows as unassigned', () => {
  const missed: number[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (/\p{Cn}/u.test(String.fromCodePoint(code)) && !isUnassigned(code)) missed.push(code);
  }
  expect(missed).toEqual([]);
});

it.each([
  [0x377, false],
  [0x378, true],
  [0x379, true],
  [0x37a, false],
  [0xfdd0, true],
  [0x1fbfa, true],
  [0x2ebf0, true],
  [0x10fffd, false],
  [0x10ffff, true],
])('%i: %s', (code, unassigned) => expect(isUnassigned(code)).toBe(unassigned));
