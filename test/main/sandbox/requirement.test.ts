import type { CallPreview } from '@shared/requests';
import type { SandboxTier } from '@shared/states';
import { describe, expect, it } from 'vitest';
import { digest } from '../../../src/main/approvals/digest';
import { gate } from '../../../src/main/approvals/gate';
import { confine, DEFAULT_POLICY, type HostList } from '../../../src/main/sandbox/policy';
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

  it('is refused with what is missing and with all that helps, and nothing else', () => {
    const notes = ['A command can gain privileges.', 'bubblewrap is missing: get it.', 'unshare fails: mend it.'];
    const tier: SandboxTier = { ...PROCESS_TIER, notes };
    expect(requirementProblem(tier, { ...NOTHING, require: 'confined' })).toEqual({
      message: expect.stringContaining('files, network, processes, privileges'),
      hint: 'bubblewrap is missing: get it. unshare fails: mend it.',
    });
  });

  it('is refused with a way out where nothing is known to help', () => {
    const tier: SandboxTier = { ...PROCESS_TIER, notes: ['A command can gain privileges.'] };
    expect(requirementProblem(tier, { ...NOTHING, require: 'confined' })?.hint).toContain('sandbox.require');
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

  const hosts = (...names: string[]) => ({ hosts: names.map((host) => ({ host, port: null })), privateHosts: [] });
  const listed = (tier: SandboxTier, network: HostList) =>
    confine({ tier, run: never, open: never }, { ...DEFAULT_POLICY, network }, NOTHING);

  it('says how far a list of hosts opens it, and is no weaker for it', () => {
    const { tier, isWeak } = listed(WHOLE, hosts('example.com', '*.example.org', '1.1.1.1'));
    expect(tier).toEqual({
      ...WHOLE,
      label: 'bubblewrap + seccomp, network: 3 hosts',
      hosts: ['example.com', '*.example.org', '1.1.1.1'],
      notes: ['The agent file opens the network to this run for example.com, *.example.org, 1.1.1.1 only.'],
    });
    expect(isWeak).toBe(false);
    expect(listed(WHOLE, hosts('example.com')).tier.label).toBe('bubblewrap + seccomp, network: 1 host');
    const many = listed(WHOLE, hosts(...Array.from({ length: 50 }, (_, index) => `h${index}.example`)));
    expect(many.tier.notes).toEqual([expect.stringMatching(/h9\.example and 40 more only\.$/)]);
  });

  it.each([
    ['unshare', 'network: none of 2 hosts', 'commands have no network'],
    ['sandbox-exec', 'network: none of 2 hosts', 'commands have no network'],
    ['process', 'network: not only 2 hosts', 'commands reach every one'],
  ] as const)('says that the tier %s cannot keep one', (name, label, note) => {
    const weaker: SandboxTier = { ...WHOLE, name, label: name, network: 'not-enforced', notes: ['Before.'] };
    const { tier, isWeak } = listed(weaker, hosts('a.example', 'b.example'));
    expect(tier).toMatchObject({ name, label: `${name}, ${label}`, network: 'not-enforced' });
    expect(tier.notes).toEqual(['Before.', expect.stringContaining(note)]);
    expect(isWeak).toBe(true);
  });

  it('is another one with another list, for whatever was decided before', () => {
    const digestFor = (network: boolean | HostList): string => {
      const { tier, policy } = confine(
        { tier: WHOLE, run: never, open: never },
        { ...DEFAULT_POLICY, network },
        NOTHING,
      );
      const preview: CallPreview = { kind: 'arguments', rows: [] };
      return digest({ tool: 'shell', preview, cwd: '/', bound: {}, sandbox: { ...tier, notes: [] }, policy });
    };
    const lists = [
      hosts('a.example'),
      hosts('b.example'),
      hosts('a.example', 'b.example'),
      { ...hosts('a.example'), hosts: [{ host: 'a.example', port: 443 }] },
      { ...hosts('a.example'), privateHosts: [{ host: 'a.example', port: null }] },
    ];
    expect(new Set([false, true, ...lists].map(digestFor)).size).toBe(7);
    expect(digestFor(hosts('a.example'))).toBe(digestFor(hosts('a.example')));
  });
});
