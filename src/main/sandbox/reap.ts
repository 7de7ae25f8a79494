import { createHash } from 'node:crypto';
import { type ProcessTable, processTable } from './process-table';
import { ProcessTree } from './process-tree';

/** The variable that every process of a call carries. */
export const CALL_MARK = 'SAYSO_CALL';

/** The value of CALL_MARK for one call of one instance of the app. */
export const callMark = (instanceId: string, callId: string): string => `${instanceId}.${callId}`;

/** What the ids of all instances of the app on one data folder begin with. */
export const folderId = (home: string): string => sha256(home).slice(0, 16);

/**
 * The id of one process of the app on a data folder: there may be another beside it, whose commands are not its own.
 * @param started tells the process from a later one of the same pid
 */
export const instanceId = (
  home: string,
  { pid, started }: { readonly pid: number; readonly started: string },
): string => `${folderId(home)}.${pid}-${sha256(started).slice(0, 8)}`;

/**
 * Ends what commands are still running that were left by a crash or a kill -9 of the app. For the start of the app,
 * before it runs any command of its own: those would be ended too. Sees the processes of this user, as root those of
 * all; nothing on Windows, where the environment of another process cannot be read.
 * @param id of an instance of the app, or what the ids of several begin with
 * @param living ids of instances that still run: their commands are left alone
 * @returns how many processes there were.
 */
export async function reapLeftovers(id: string, living: readonly string[] = []): Promise<number> {
  const table = processTable();
  if (table === null) return 0;
  return (await new ProcessTree(sparing(table, living), treeMark(id), null).end()).found;
}

const treeMark = (id: string) => ({ environment: `${CALL_MARK}=${callMark(id, '')}`, pipe: null });

/** A table in which what belongs to these instances carries no mark. */
function sparing(table: ProcessTable, living: readonly string[]): ProcessTable {
  return {
    ...table,
    pids: () => table.pids(),
    async marks(pids, mark) {
      const found = await table.marks(pids, mark);
      const marked = new Set(found.marked);
      for (const id of living) {
        const spared = await table.marks([...marked], treeMark(id));
        for (const pid of spared.marked) marked.delete(pid);
      }
      return { ...found, marked };
    },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
