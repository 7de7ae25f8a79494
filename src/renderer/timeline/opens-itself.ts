import type { CallEntry } from './entries';

/** Whether a call shows its inside unasked: what changed a file, and what is printing now. */
export function opensItself(entry: CallEntry): boolean {
  if (entry.phase.is === 'running') return entry.output !== '';
  return entry.phase.is === 'ok' && entry.preview?.kind === 'file';
}
