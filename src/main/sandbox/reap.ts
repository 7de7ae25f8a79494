import { processTable } from './process-table';
import { ProcessTree } from './process-tree';

/** The variable that every process of a call carries. */
export const CALL_MARK = 'SAYSO_CALL';

/** The value of CALL_MARK for one call of one instance of the app. */
export const callMark = (instanceId: string, callId: string): string => `${instanceId}.${callId}`;

/**
 * Ends what commands of this instance are still running, left by a crash or a kill -9 of the app. For the start of the
 * app, before it runs any command of its own: those would be ended too. Sees the processes of this user, as root those
 * of all; nothing on Windows, where the environment of another process cannot be read.
 * @returns how many processes there were.
 */
export async function reapLeftovers(instanceId: string): Promise<number> {
  const table = processTable();
  if (table === null) return 0;
  const mark = { environment: `${CALL_MARK}=${callMark(instanceId, '')}`, pipe: null };
  return (await new ProcessTree(table, mark, null).end()).found;
}
