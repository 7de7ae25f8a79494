import { describe, expect, it } from 'vitest';
import { ProcessTree } from '../../../src/main/sandbox/process-tree';
import { parsePs, psTable } from '../../../src/main/sandbox/ps-table';
import { processesWith, sh, uniqueSeconds, until } from './helpers';

describe('the process table of systems without /proc', () => {
  it('is read from ps, without the dead', () => {
    const text = [
      '    1     0     1 Ss   Mon Nov 30 10:00:00 2026',
      '  501     1   501 Z    Mon Nov 30 10:00:05 2026',
      ' 9012   501   501 S+   Tue Dec  1 09:08:07 2026    ',
      'garbage',
    ].join('\n');
    expect(parsePs(text)).toEqual([
      { pid: 1, parent: 0, group: 1, session: 1, started: Date.UTC(2026, 10, 30, 10) / 1_000 },
      { pid: 9012, parent: 501, group: 501, session: 501, started: Date.UTC(2026, 11, 1, 9, 8, 7) / 1_000 },
    ]);
  });

  it('finds a tree by its mark and by its parents, and ends it', async () => {
    const n = uniqueSeconds();
    const environment = { PATH: process.env.PATH ?? '', TREE: `mark-${n}` };
    const running = sh(`env -i setsid sh -c "sleep ${n}; true" & sleep ${n}`, { environment });
    await until(async () => (await processesWith(`sleep\0${n}`)).length === 2, 'both run');
    const tree = new ProcessTree(psTable, { environment: `TREE=mark-${n}`, pipe: null }, null);
    const { found, survivors } = await tree.end();
    expect(found).toBeGreaterThanOrEqual(3);
    expect(survivors).toEqual([]);
    expect(await processesWith(n)).toEqual([]);
    expect((await running).end).toEqual({ type: 'signalled', signal: 'SIGTERM' });
  });
});
