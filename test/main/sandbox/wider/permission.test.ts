import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type SandboxPolicy } from '../../../../src/main/sandbox/policy';
import type { Refusal } from '../../../../src/main/sandbox/refusal';
import { offerAll } from '../../../../src/main/sandbox/wider/offer';
import { tierWith, widened } from '../../../../src/main/sandbox/wider/permission';
import { TIER } from '../../../support/store';

const policyOf = (over: Partial<SandboxPolicy>): SandboxPolicy => ({ ...DEFAULT_POLICY, ...over });
const all: Refusal = { kind: 'network', host: null, port: null };
const host: Refusal = { kind: 'network', host: 'other.example', port: 8_443 };
const beyond = (wanted: Refusal, policy: SandboxPolicy) =>
  offerAll([wanted], { workspace: '/ws', environment: {}, policy }, { own: [], files: 'open' });
const enforced = { ...TIER, network: 'enforced' as const };

describe('the policy of one execution', () => {
  it('is that of the run where nothing more is allowed', () => {
    expect(widened(DEFAULT_POLICY, [])).toBe(DEFAULT_POLICY);
    expect(tierWith(enforced, [])).toBe(enforced);
  });

  it('opens all of a network that was shut, and says so of the tier', async () => {
    const more = await beyond(all, DEFAULT_POLICY);
    const before = structuredClone(DEFAULT_POLICY);
    expect(widened(DEFAULT_POLICY, more)).toEqual({ ...before, network: true });
    expect(DEFAULT_POLICY).toEqual(before);
    expect(tierWith(enforced, more)).toMatchObject({ network: 'not-enforced', label: 'process only, network open' });
    expect(tierWith(TIER, more)).toBe(TIER);
    expect(tierWith({ ...enforced, hosts: ['one.example'] }, more)).not.toHaveProperty('hosts');
  });

  it('adds a host to those of the agent file, and leaves the network confined', async () => {
    const listed = { hosts: [{ host: 'one.example', port: null }], privateHosts: [] };
    const policy = policyOf({ network: listed });
    const more = await beyond(host, policy);
    expect(widened(policy, more).network).toEqual({
      hosts: [...listed.hosts, { host: 'other.example', port: 8_443 }],
      privateHosts: [],
    });
    expect(policy.network).toEqual(listed);
    expect(tierWith(enforced, more)).toMatchObject({
      network: 'enforced',
      label: 'process only, network: 1 more host',
      hosts: ['other.example:8443'],
    });
    expect(tierWith({ ...enforced, hosts: ['one.example'] }, more).hosts).toEqual([
      'one.example',
      'other.example:8443',
    ]);
  });

  it('cannot be had from what merely looks like a permission', () => {
    const alike = { allowance: { kind: 'network' as const, host: null, port: null }, identity: '', isChecked: true };
    // @ts-expect-error: only a look makes one
    const taken: Parameters<typeof widened>[1] = [alike];
    expect(taken).toHaveLength(1);
  });
});
