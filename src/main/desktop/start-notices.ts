import type { SessionId } from '@shared/ids';
import type { ProcessIdentity } from '../runs/process-identity';
import type { Rescued } from '../sessions/rescue';

/** What a crash had left, and was put right before anything could run. */
export function startNotices(
  interrupted: number,
  leftovers: number,
  held: ReadonlyMap<SessionId, ProcessIdentity>,
): string[] {
  const others = new Set([...held.values()].map(({ pid }) => pid));
  return [
    ...(held.size === 0
      ? []
      : [
          `Another Sayso (${count(others.size, 'process', 'processes')}: ${[...others].join(', ')}) runs ${count(held.size, 'session')} of this folder. They are left to it.`,
        ]),
    ...(interrupted === 0
      ? []
      : [
          `Sayso ended unexpectedly with ${count(interrupted, 'run')} at work. Nothing was decided; each can be resumed.`,
        ]),
    ...(leftovers === 0
      ? []
      : [`${count(leftovers, 'process', 'processes')} of earlier runs were still there, and were ended.`]),
  ];
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** What became of a store whose file had gone while it was open. */
export function rescueNotice(rescued: Rescued): string {
  if (rescued.kind === 'put-back') {
    return `The store's file was removed while Sayso was at work. All of it was written anew to ${rescued.path}; runs were interrupted, and each can be resumed.`;
  }
  return `Another file took the place of the store while Sayso was at work. It was opened; all of the store before it is kept at ${rescued.path}.`;
}
