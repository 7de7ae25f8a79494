import type { GrantId } from '@shared/ids';
import type { GatedBy } from '@shared/requests';
import type { ApprovalMode } from '@shared/states';

/** Everything that the decision about one call depends on, and nothing else. */
export interface GateInput {
  /** null: there is no tool of that name. */
  readonly tool: { readonly dangerous: boolean; readonly tags: readonly string[] } | null;
  /** Whether the arguments were understood and the call could be prepared. */
  readonly valid: boolean;
  readonly mode: ApprovalMode;
  readonly confirmTags: readonly string[];
  readonly stopped: boolean;
  /** Whether somebody can be asked: a console is attached or an approver is wired. */
  readonly operator: boolean;
  /** The sandbox lacks protections that nobody accepted: `auto` asks about dangerous calls after all. Default: false. */
  readonly weakSandbox?: boolean;
  /** A remembered approval that covers this call. */
  readonly grant: GrantId | null;
}

export type GateDecision =
  | { readonly decision: 'invalid' }
  | { readonly decision: 'deny'; readonly outcome: 'readonly' | 'stopped' | 'no-operator' }
  | { readonly decision: 'run'; readonly grant: GrantId | null }
  | { readonly decision: 'ask'; readonly gatedBy: GatedBy };

/** Gates a call always, whatever the mode. */
export const CONFIRM_TAG = 'ai:confirm';

/** Decides about one call. The order of the rules is itself a rule (semantics: the gate). */
export function gate(input: GateInput): GateDecision {
  const { tool, mode } = input;
  if (tool === null || !input.valid) return { decision: 'invalid' };
  const tag = tool.tags.find((candidate) => candidate === CONFIRM_TAG || input.confirmTags.includes(candidate));
  const tagged = tag !== undefined;
  if (mode === 'readonly' && (tool.dangerous || tagged)) return { decision: 'deny', outcome: 'readonly' };
  // Only the two modes that are known to let a call run without asking do so; an unknown one would ask.
  const weak = mode === 'auto' && input.weakSandbox === true && tool.dangerous;
  if (!tagged && !weak && (mode === 'auto' || !tool.dangerous)) return { decision: 'run', grant: null };
  if (input.stopped) return { decision: 'deny', outcome: 'stopped' };
  if (!input.operator) return { decision: 'deny', outcome: 'no-operator' };
  if (input.grant !== null) return { decision: 'run', grant: input.grant };
  if (tagged) return { decision: 'ask', gatedBy: { because: 'tag', tag } };
  return { decision: 'ask', gatedBy: weak ? { because: 'sandbox' } : { because: 'mode', mode } };
}
