import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/main/sandbox/policy';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { createUnshareTier, findUnshareHost } from '../../../src/main/sandbox/unshare-tier';
import { processesWith, tempFolder, uniqueSeconds } from './helpers';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const host = process.platform === 'linux' ? await findUnshareHost() : null;
const TIERS = [
  ['process', createProcessTier(randomUUID())],
  ...(host === null ? [] : [['unshare', createUnshareTier(randomUUID(), host)] as const]),
] as const;

it.each(TIERS)(
  'in the tier %s a stop at any moment of the start is a stop, and nothing is left',
  async (_, tier) => {
    const workspace = await tempFolder();
    for (let turns = 0; turns < 80; turns += 8) {
      const n = uniqueSeconds();
      const stop = new AbortController();
      const running = tier.run(
        {
          argv: ['/bin/sh', '-c', `trap "" TERM; (setsid sleep ${n} &); sleep ${n}`],
          cwd: workspace,
          workspace,
          environment: { PATH: '/usr/bin:/bin' },
          timeoutMs: 60_000,
          policy: DEFAULT_POLICY,
        },
        { signal: stop.signal, onOutput: () => undefined },
      );
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      stop.abort();
      expect((await running).end).toEqual({ type: 'stopped' });
      expect(await processesWith(n), `${turns} turns later`).toEqual([]);
    }
  },
  240_000,
);
