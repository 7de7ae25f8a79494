import { describe, expect, it } from 'vitest';
import type { AgentFingerprint } from '../../../src/main/agents/fingerprint';
import { compareFingerprints } from '../../../src/main/runs/fingerprint';

const BASE: AgentFingerprint = { provider: 'anthropic', model: 'm-1', prompt: 'p', tools: 't', limits: 'l' };
const MODEL = 'the model (m-1, now m-2)';
const PROMPT = 'the prompt, its script or the thinking setting';

/** What changed, all at once, and what that comes to: the gravest of it. */
const CHANGES: [change: Partial<AgentFingerprint>, kind: string, what?: string[]][] = [
  [{}, 'none'],
  [{ limits: 'l2' }, 'limits'],
  [{ tools: 't2' }, 'tools'],
  [{ tools: 't2', limits: 'l2' }, 'tools'],
  [{ model: 'm-2' }, 'agent', [MODEL]],
  [{ prompt: 'p2' }, 'agent', [PROMPT]],
  [{ model: 'm-2', prompt: 'p2' }, 'agent', [MODEL, PROMPT]],
  [{ prompt: 'p2', tools: 't2', limits: 'l2' }, 'agent', [PROMPT]],
  [{ provider: 'scripted' }, 'provider'],
  [{ provider: 'scripted', model: 'm-2', prompt: 'p2', tools: 't2', limits: 'l2' }, 'provider'],
];

describe('an agent that is compared with what it was', () => {
  it.each(CHANGES)('%j is %s', (change, kind, what) => {
    const now = { ...BASE, ...change };
    const expected = what === undefined ? { kind } : { kind, what };
    expect(compareFingerprints(BASE, now)).toEqual(expected);
    expect(compareFingerprints(now, BASE).kind).toBe(kind);
  });
});
