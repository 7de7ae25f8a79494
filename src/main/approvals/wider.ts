import type { Allowance } from '@shared/allowances';
import type { ApprovalMode, Denial } from '@shared/states';
import { isRefusedWith } from '../sandbox/wider/overlap';

/** How often one call may ask for more than its agent file allows. */
export const MAX_WIDER_QUESTIONS = 2;

export interface WiderInput {
  readonly mode: ApprovalMode;
  readonly stopped: boolean;
  readonly operator: boolean;
}

/**
 * Why the operator cannot be asked whether a command may do more than its agent file allows; null where they can. No mode,
 * no tag and no grant ever answers that in their place. Pure.
 */
export function whyNotWider({ mode, stopped, operator }: WiderInput): Exclude<Denial, 'declined' | 'expired'> | null {
  if (mode === 'readonly') return 'readonly';
  if (stopped) return 'stopped';
  return operator ? null : 'no-operator';
}

/** What the operator was asked to allow in one run and did not, so that they are not asked for it again. */
export class UnallowedThings {
  readonly #things: Allowance[] = [];

  add(things: readonly Allowance[]): void {
    this.#things.push(...things);
  }

  has(thing: Allowance): boolean {
    return this.#things.some((unallowed) => isRefusedWith(unallowed, thing));
  }
}
