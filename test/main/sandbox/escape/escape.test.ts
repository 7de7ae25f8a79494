import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_DISKS } from '../../../support/disk';
import { ATTEMPTS, CONTROL } from './attempts';
import { STRANGER, type Tried, tryAll } from './try-all';

const root = process.getuid?.() === 0;
/** Where bubblewrap cannot work there is no tier one to try; that is said by a test of its own. */
const confinable = process.platform === 'linux' && root && hasBwrap() && NO_DISKS === null;

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

it('is tried here only as root on Linux with bubblewrap and disks to fill; CI is', () => {
  if (process.env.CI !== 'true' || process.platform !== 'linux') return;
  expect(NO_DISKS).toBeNull();
  expect(confinable).toBe(true);
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
      expect(result).toMatchObject({ escaped: false });
    });

    it('lets through the proxy what the list lets through', () => {
      expect(tried.results.find(({ name }) => name === CONTROL.name)).toMatchObject({ escaped: true });
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

const REAL = ATTEMPTS.filter(({ real }) => real === true);

describe.runIf(confinable)('where nothing confines it', () => {
  describe.each(USERS)('as %s', (_, uid) => {
    let tried: Tried & { readonly folder: string };
    beforeAll(async () => {
      tried = await tryAll('process', uid, REAL, { fresh: true });
    }, 300_000);
    afterAll(() => rm(tried.folder, { recursive: true, force: true }));

    it.for(REAL.map(({ name }) => name))('an attempt gets out, and so is one: %s', (name, { skip }) => {
      if (name === 'the socket of docker' && !tried.ownsDocker)
        skip('There is a docker here, which may let nobody in.');
      expect(tried.results.find((one) => one.name === name)).toMatchObject({ escaped: true });
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
        const results = tried.results.filter(({ name }) => names.includes(name));
        for (const { output } of results) expect(output).toContain('TRIED');
        const escaped = results.some((result) => result.escaped);
        expect(escaped ? 'not-enforced' : 'enforced').toBe(tried.probed.attempts[told]);
      });
    });
  },
);
