import { entryText } from '../../network/host-list';
import type { WebReach } from './reach';

/**
 * What a model is told of where it gets. It is part of the tool's description, so an agent file that allows other hosts
 * makes another tool of it: sessions that are resumed then drop what was granted.
 */
export function reachWords({ allowed }: WebReach): string {
  const rules = 'No cookies or credentials are sent, and local or private addresses cannot be reached';
  if (allowed.length === 0) return `${rules}.`;
  return `${rules}, except ${allowed.map(entryText).join(', ')}.`;
}
