import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTEMPTS, CONTROL } from './attempts';
import { STRANGER, type Tried, tryAll } from './try-all';

const root = process.getuid?.() === 0;
/** Where bubblewrap cannot work there is no tier one to try; that is said by a test of its own. */
const confinable = process.platform === 'linux' && root && hasBwrap();

function hasBwrap(): boolean {
  try {
    execFileSync('bwrap', ['--version']);
    return true;
  } catch {
    return false;
  }
}

const USERS = [
  ['root', 0],
  ['an unprivileged user', STRANGER],
] as const;

it('is tried here only as root on Linux with bubblewrap; CI is', () => {
  if (process.env.CI === 'true' && process.platform === 'linux') expect(confinable).toBe(true);
});

describe.runIf(confinable)('the first tier', () => {
  describe.each(USERS)('as %s', (_, uid) => {
    let tried: Tried & { readonly folder: string };
    beforeAll(async () => {
      tried = await tryAll('bubblewrap-seccomp', uid, [...ATTEMPTS, CONTROL]);
    }, 300_000);
    afterAll(() => rm(tried.folder, { recursive: true, force: true }));

    it.each(ATTEMPTS.map(({ name }) => name))('holds against: %s', (name) => {
      const result = tried.results.find((one) => one.name === name);
      expect(result?.output).toContain('TRIED');
      expect(result?.output).not.toContain('ESCAPED');
    });

    it('lets through the proxy what the list lets through', () => {
      expect(tried.results.find(({ name }) => name === CONTROL.name)?.output).toContain('ESCAPED');
    });

    it('leaves everything as it was outside and on protected paths', () => {
      expect(tried.changes).toEqual([]);
    });

    it('is found whole by the probe', () => {
      expect(tried.probed).toMatchObject({
        works: true,
        tier: { files: 'enforced', network: 'enforced', processes: 'enforced', privileges: 'enforced', notes: [] },
      });
    });
  });
});

const TOLD = ATTEMPTS.filter(({ tells }) => tells !== undefined);

describe.runIf(confinable).each(['bubblewrap-seccomp', 'bubblewrap', 'unshare', 'process'] as const)(
  'the tier %s',
  (tier) => {
    describe.each(USERS)('as %s', (_, uid) => {
      let tried: Tried & { readonly folder: string };
      beforeAll(async () => {
        tried = await tryAll(tier, uid, TOLD);
      }, 120_000);
      afterAll(() => rm(tried.folder, { recursive: true, force: true }));

      it.each([...new Set(TOLD.map(({ tells }) => tells))])('does about "%s" just what the probe says', (told) => {
        if (!tried.probed.works || told === undefined) throw new Error('It does not work here.');
        const names = TOLD.filter(({ tells }) => tells === told).map(({ name }) => name);
        const outputs = tried.results.filter(({ name }) => names.includes(name)).map(({ output }) => output);
        for (const output of outputs) expect(output).toContain('TRIED');
        const escaped = outputs.some((output) => output.includes('ESCAPED'));
        expect(escaped ? 'not-enforced' : 'enforced').toBe(tried.probed.attempts[told]);
      });
    });
  },
);
