import type { GrantSandbox } from '@shared/requests';
import { describe, expect, it } from 'vitest';
import { isConfinedAs, sandboxOf } from '../../../src/main/approvals/confined-as';
import { TIER } from '../../support/store';

const STRONGEST: GrantSandbox = {
  name: 'bubblewrap-seccomp',
  label: 'bubblewrap and seccomp',
  files: 'enforced',
  network: 'enforced',
  processes: 'enforced',
  privileges: 'enforced',
};
const but = (over: Partial<GrantSandbox>): GrantSandbox => ({ ...STRONGEST, ...over });
const PROCESS: GrantSandbox = TIER;
const HOSTS = but({ hosts: ['a.example'] });
const OPEN = but({ network: 'not-enforced' });

describe('whether a call is confined at least as where its approval was remembered', () => {
  it.each<[string, GrantSandbox, GrantSandbox, boolean]>([
    ['the same', STRONGEST, STRONGEST, true],
    ['the weakest, the same', PROCESS, PROCESS, true],
    ['stronger', PROCESS, STRONGEST, true],
    ['weaker', STRONGEST, PROCESS, false],
    ['a weaker tier in which everything still holds', STRONGEST, but({ name: 'bubblewrap' }), false],
    ['a protection that does not hold any more', STRONGEST, but({ privileges: 'not-enforced' }), false],
    ['one that nobody knows of', STRONGEST, but({ files: 'unknown' }), false],
    ['one that nobody knew of', but({ files: 'unknown' }), but({ files: 'not-enforced' }), true],
    ['the network, shut and then open', STRONGEST, OPEN, false],
    ['the network, open and then shut', OPEN, STRONGEST, true],
    ['the network, shut and then open to a host', but({ name: 'unshare' }), HOSTS, false],
    ['the network, open to a host and then to two', HOSTS, but({ hosts: ['a.example', 'b.example'] }), false],
    ['the network, open to two hosts and then to one', but({ hosts: ['b.example', 'a.example'] }), HOSTS, true],
    ['the network, open to a host and then to all', HOSTS, OPEN, false],
  ])('%s', (_name, given, now, holds) => {
    expect(isConfinedAs(given, now)).toBe(holds);
  });

  it('is not known where that is not on record, unless nothing could be stronger', () => {
    expect(isConfinedAs(undefined, STRONGEST)).toBe(true);
    for (const now of [PROCESS, HOSTS, OPEN, but({ name: 'bubblewrap' }), but({ processes: 'unknown' })]) {
      expect(isConfinedAs(undefined, now)).toBe(false);
    }
  });

  it('is no question where no sandbox keeps the call', () => {
    expect(sandboxOf('sandbox', TIER)).toEqual(PROCESS);
    expect(sandboxOf('server-sandbox', { ...TIER, notes: ['why'] })).toEqual(PROCESS);
    for (const keptBy of ['file-rules', 'web-rules', 'app', 'server'] as const)
      expect(sandboxOf(keptBy, TIER)).toBeNull();
    expect(isConfinedAs(undefined, null)).toBe(true);
    expect(isConfinedAs(STRONGEST, null)).toBe(false);
  });
});
