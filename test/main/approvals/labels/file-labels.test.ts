import { expect, it } from 'vitest';
import { labelsOfPreview } from '../../../../src/main/approvals/request';

it.each([
  ['file', ['write_file', 'a/b'], []],
  ['file', ['write_file', '/elsewhere/a'], ['outside']],
  ['delete', ['delete', 'a'], []],
  ['delete', ['delete', '/elsewhere/a'], ['outside']],
  ['move', ['move', 'a', 'b'], []],
  ['move', ['move', 'a', '/elsewhere/b'], ['outside']],
  ['move', ['move', '/elsewhere/a', 'b'], ['outside']],
  ['arguments', ['read_file', '/elsewhere/a'], []],
] as const)('a change of a file says when it is outside the workspace: %s %j', (kind, rows, expected) => {
  expect(labelsOfPreview({ kind }, rows, '/ws').map(({ id }) => id)).toEqual(expected);
});
