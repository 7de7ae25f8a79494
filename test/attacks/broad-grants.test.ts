import { describe, expect, it } from 'vitest';
import { rememberOptions } from '../../src/main/approvals/remember';
import { rememberable } from '../support/store';

describe('a grant for a program whose ordinary options start any other program', () => {
  it.each([
    'tar', // --checkpoint-action=exec=COMMAND
    'sed', // the command e
    'gsed',
    'rsync', // -e COMMAND
    'scp', // -S COMMAND
    'vim', // -c ':!COMMAND'
    'vim.basic',
    'less', // !COMMAND
    'git', // -c alias.NAME=!TEXT
    'npm', // exec
    'cargo', // run
    'go', // run
    'gcc-14', // -wrapper COMMAND
    'zip', // -TT COMMAND
    'split', // --filter=COMMAND
    'sort', // --compress-program=COMMAND
    'sqlite3', // .shell COMMAND
    'tcpdump', // -z COMMAND
    'python3.12', // -c TEXT
  ])('says so: %s', (name) => {
    const options = rememberOptions(rememberable({ program: `/usr/bin/${name}` }));
    for (const option of options.filter(({ scope }) => scope !== 'exact')) {
      expect(option).toMatchObject({ broad: true, covers: expect.stringMatching(/any command whatever/) });
    }
  });

  it('raises no alarm for what starts nothing', () => {
    for (const name of ['ls', 'cat', 'grep', 'wc', 'head', 'diff', 'cp']) {
      const options = rememberOptions(rememberable({ program: `/usr/bin/${name}` }));
      expect(options.map(({ broad }) => broad)).toEqual([false, false, false]);
    }
  });
});
