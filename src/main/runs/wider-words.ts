import { type Allowance, allAllowanceWords } from '@shared/allowances';
import type { Denial } from '@shared/states';

/** Why a command was not run again with more: how its request ended, or that what it asked for is not there any more. */
export type NotAgain = Denial | 'changed';

const FINAL = 'This is final: do not retry it and do not work around it by other means.';

/** What the model is told beside the result of a command that was not run again. An expiry is no decision. */
export function notAgainWords(
  why: NotAgain,
  asks: readonly Allowance[],
  limitMs: number,
  words: string | undefined,
): string {
  const more = `run again and also ${allAllowanceWords(asks)}`;
  const said = words === undefined || words.trim() === '' ? '' : ` The operator's words: ${words.trim()}`;
  switch (why) {
    case 'declined':
      return `The operator was asked whether this may ${more}, and declined. ${FINAL}${said}`;
    case 'expired':
      return `Nobody answered within ${Math.round(limitMs / 1000)} s whether this may ${more}. It did not run again. ${FINAL}`;
    case 'stopped':
      return `The run was stopped before anyone said whether this may ${more}. It did not run again.`;
    case 'no-operator':
      return `There was nobody to ask whether this may ${more}. It did not run again.`;
    case 'readonly':
      return `This run is in readonly mode, so nobody was asked whether this may ${more}.`;
    case 'changed':
      return `It did not run again: what it would have been allowed, or would have done, changed after it was asked about.`;
    case 'failed':
    case 'interrupted':
      return `It could not be put to the operator whether this may ${more}. It did not run again.`;
  }
}

/** What the model is told beside the result of a command that ran again with more. */
export function ranAgainWords(allows: readonly Allowance[], exitCode: number): string {
  const words = allAllowanceWords(allows);
  return `It ran and ended with exit code ${exitCode}; then the operator let it run once more, this once allowed to ${words}. This is what that came to.`;
}

/** A result with one more note in it: a key of its JSON where it is the result of a command. */
export function withNote(content: string, note: string): string {
  const value = parseObject(content);
  if (value === null) return `${content}\n${note}`;
  const before = typeof value.permission_note === 'string' ? `${value.permission_note} ` : '';
  return JSON.stringify({ ...value, permission_note: `${before}${note}` });
}

function parseObject(content: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
