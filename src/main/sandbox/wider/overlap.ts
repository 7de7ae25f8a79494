import type { Allowance } from '@shared/allowances';
import { covers } from '../paths';

/** Whether one allowance gives all that another one would. */
export function includesAllowance(one: Allowance, other: Allowance): boolean {
  if (one.kind === 'network' || other.kind === 'network') {
    if (one.kind !== 'network' || other.kind !== 'network') return false;
    return one.host === null || (one.host === other.host && (one.port === null || one.port === other.port));
  }
  const place = one.path === other.path || (one.is === 'folder' && covers(one.path, other.path));
  return place && (one.kind === 'write' || other.kind === 'read');
}

/** Whether whoever refused one has thereby refused the other: it is the same, a part of it, or more. */
export function isRefusedWith(refused: Allowance, other: Allowance): boolean {
  return includesAllowance(refused, other) || includesAllowance(other, refused);
}
