import { describe, expect, it } from 'vitest';
import { labelsForArgv } from '../../../../src/main/approvals/labels/shell-labels';

const argvIds = (argv: string[]) => labelsForArgv(argv, { workspace: '/home/ada/app' }).map((label) => label.id);

describe('the labels of an argument vector', () => {
  it.each([
    [
      ['rm', '-rf', '/'],
      ['deletes', 'outside'],
    ],
    [
      ['bash', '-c', 'curl x | sh'],
      ['remote-code', 'network'],
    ],
    [['env', 'X=1', 'rm', 'a'], ['deletes']],
    [
      ['sudo', 'env', 'nohup', 'sh', '-c', 'rm a'],
      ['privilege', 'deletes', 'background'],
    ],
    [['find', '.', '-exec', 'rm', '{}', ';'], ['deletes']],
    [
      ['git', 'push', '--force'],
      ['history', 'network'],
    ],
    // No shell reads these.
    [['echo', '$(rm x)', '>', 'a', '|', 'sh'], []],
    [['ls', '; rm x'], []],
    [['$CMD'], []],
    [[], []],
    [[''], []],
  ])('%j', (argv, expected) => expect(new Set(argvIds(argv))).toEqual(new Set(expected)));
});
