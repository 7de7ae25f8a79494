import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { changedMount } from './changed-mount';
import type { LiveFolders } from './live-folders';
import { mountTableOf } from './mount-table';
import type { Mount } from './mounts';
import type { NamespaceTree } from './namespace-tree';

const RECHECK_MS = 1;

export interface Held {
  readonly tree: NamespaceTree;
  readonly mounts: readonly Mount[];
  readonly folders: LiveFolders;
  /** bwrap reads a word from it when all is mounted. It would take an end for one, so it must have none. */
  readonly gate: FileHandle;
}

/**
 * Lets a command start once its mounts were seen to be what was meant, and ends it where they are not.
 * @returns the path of the mount that is not; null where all are, or it ended before
 * @throws Error where it cannot be seen. It is ended then.
 */
export async function releaseHeld(held: Held): Promise<string | null> {
  const { tree, gate } = held;
  try {
    const changed = await whatChanged(held);
    if (changed !== null) tree.kill();
    else if (!tree.isOver) await gate.write('.');
    return changed;
  } catch (error) {
    tree.kill();
    throw error;
  }
}

async function whatChanged({ tree, mounts, folders }: Held): Promise<string | null> {
  for (; !tree.isOver; await delay(RECHECK_MS)) {
    const changeable = folders.changeable();
    const sandbox = changeable === null ? null : tree.mountsMade();
    if (changeable === null || sandbox === null) continue;
    return changedMount(mounts, changeable, { host: mountTableOf('self'), sandbox });
  }
  return null;
}
