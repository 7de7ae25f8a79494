import type { SandboxTier } from '@shared/states';
import { describe, expect, it } from 'vitest';
import { gate } from '../../../src/main/approvals/gate';
import { confine, DEFAULT_POLICY } from '../../../src/main/sandbox/policy';
import { PROCESS_TIER } from '../../../src/main/sandbox/process-tier';
import {
  isWeak,
  missingProtections,
  requirementProblem,
  type SandboxDemand,
} from '../../../src/main/sandbox/requirement';

const WHOLE: SandboxTier = {
  name: 'bubblewrap-seccomp',
  label: 'bubblewrap + seccomp',
  files: 'enforced',
  network: 'enforced',
  processes: 'enforced',
  privileges: 'enforced',
};
const NOTHING: SandboxDemand = { require: 'none', network: false, accept: [] };

describe('what an agent file requires', () => {
  it.each([
    ['none', PROCESS_TIER, true],
    ['process', PROCESS_TIER, true],
    ['confined', PROCESS_TIER, false],
    ['confined', WHOLE, true],
    ['confined', { ...WHOLE, privileges: 'unknown' } as const, false],
    ['confined', { ...WHOLE, network: 'not-enforced' } as const, false],
  ] as const)('%s', (require, tier, starts) => {
    expect(requirementProblem(tier, { ...NOTHING, require }) === null).toBe(starts);
  });

  it('does not count the network where the file opens it', () => {
    const demand: SandboxDemand = { require: 'confined', network: true, accept: [] };
    expect(requirementProblem({ ...WHOLE, network: 'not-enforced' }, demand)).toBeNull();
  });

  it('is refused with what is missing and with what helps', () => {
    const tier: SandboxTier = { ...PROCESS_TIER, notes: ['bubblewrap is not installed.'] };
    expect(requirementProblem(tier, { ...NOTHING, require: 'confined' })).toEqual({
      message: expect.stringContaining('files, network, processes, privileges'),
      hint: 'bubblewrap is not installed.',
    });
  });
});

describe('a weak sandbox', () => {
  it('is one that lacks a protection, unless its name is accepted', () => {
    expect(isWeak(WHOLE, NOTHING)).toBe(false);
    expect(isWeak({ ...WHOLE, files: 'unknown' }, NOTHING)).toBe(true);
    expect(isWeak(PROCESS_TIER, NOTHING)).toBe(true);
    expect(isWeak(PROCESS_TIER, { ...NOTHING, accept: ['process'] })).toBe(false);
    expect(isWeak(PROCESS_TIER, { ...NOTHING, accept: ['unshare', 'bubblewrap'] })).toBe(true);
    expect(missingProtections({ ...WHOLE, network: 'unknown' }, { network: true })).toEqual([]);
  });

  const call = {
    valid: true,
    confirmTags: [],
    stopped: false,
    operator: true,
    grant: null,
    weakSandbox: true,
  } as const;
  const dangerous = { dangerous: true, tags: [] };

  it('makes auto ask about dangerous calls, and says that it is the sandbox', () => {
    expect(gate({ ...call, tool: dangerous, mode: 'auto' })).toEqual({
      decision: 'ask',
      gatedBy: { because: 'sandbox' },
    });
  });

  it('changes nothing else', () => {
    const harmless = { dangerous: false, tags: [] };
    expect(gate({ ...call, tool: harmless, mode: 'auto' })).toEqual({ decision: 'run', grant: null });
    expect(gate({ ...call, tool: dangerous, mode: 'readonly' })).toEqual({ decision: 'deny', outcome: 'readonly' });
    expect(gate({ ...call, tool: dangerous, mode: 'ask' })).toMatchObject({
      gatedBy: { because: 'mode', mode: 'ask' },
    });
    expect(gate({ ...call, tool: dangerous, mode: 'auto', operator: false })).toMatchObject({ decision: 'deny' });
    expect(gate({ ...call, tool: { dangerous: false, tags: ['ai:confirm'] }, mode: 'auto' })).toMatchObject({
      gatedBy: { because: 'tag' },
    });
  });
});

describe('the sandbox of one run', () => {
  const never = (): never => {
    throw new Error('nothing is started here');
  };

  it('says itself what the agent file gives away', () => {
    const policy = { ...DEFAULT_POLICY, network: true };
    const { tier, isWeak } = confine({ tier: WHOLE, run: never, open: never }, policy, { ...NOTHING, network: true });
    expect(tier).toMatchObject({ label: 'bubblewrap + seccomp, network open', network: 'not-enforced' });
    expect(isWeak).toBe(false);
  });
});
