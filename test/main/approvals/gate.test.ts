import { readFileSync } from 'node:fs';
import { GrantId } from '@shared/ids';
import { ApprovalMode } from '@shared/states';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type GateDecision, gate } from '../../../src/main/approvals/gate';

const Case = z.strictObject({
  tool: z.strictObject({ name: z.string(), dangerous: z.boolean(), tags: z.array(z.string()) }),
  mode: ApprovalMode,
  confirm_tags: z.array(z.string()),
  operator: z.boolean(),
  grant: z.boolean(),
  stopped: z.boolean(),
  valid: z.boolean(),
  decision: z.enum(['run', 'ask', 'invalid', 'readonly', 'stopped', 'no-operator']),
});
const text = readFileSync(new URL('../../vectors/gate.json', import.meta.url), 'utf8');
const { cases } = z.object({ cases: z.array(Case).min(60) }).parse(JSON.parse(text));
const GRANT = GrantId.parse('6f1c2c35-4f0e-4c39-9a52-3f3a3d1f0a01');

function named(decision: GateDecision): string {
  return decision.decision === 'deny' ? decision.outcome : decision.decision;
}

describe('the gate', () => {
  it.each(cases)(
    '$tool.name, $mode, operator $operator, grant $grant, stopped $stopped, valid $valid: $decision',
    (one) => {
      const decision = gate({
        tool: one.tool,
        valid: one.valid,
        mode: one.mode,
        confirmTags: one.confirm_tags,
        stopped: one.stopped,
        operator: one.operator,
        grant: one.grant ? GRANT : null,
      });
      expect(named(decision)).toBe(one.decision);
    },
  );

  const base = {
    tool: { dangerous: false, tags: [] },
    valid: true,
    mode: 'auto',
    confirmTags: [],
    stopped: false,
    operator: true,
    grant: null,
  } as const;

  it('calls an unknown tool invalid before anything else', () => {
    expect(gate({ ...base, tool: null, mode: 'readonly', stopped: true })).toEqual({ decision: 'invalid' });
  });

  it('names the tag that gated a call', () => {
    const tool = { dangerous: true, tags: ['x', 'impact:rw'] };
    expect(gate({ ...base, tool, confirmTags: ['impact:rw'] })).toEqual({
      decision: 'ask',
      gatedBy: { because: 'tag', tag: 'impact:rw' },
    });
  });

  it('never lets a dangerous call run in a mode that it does not know', () => {
    const mode = 'yolo' as unknown as ApprovalMode;
    expect(gate({ ...base, tool: { dangerous: true, tags: [] }, mode }).decision).toBe('ask');
  });
});
