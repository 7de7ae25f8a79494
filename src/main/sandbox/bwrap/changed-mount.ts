import { dirname } from 'node:path';
import { covers } from '../paths';
import type { Mounted, MountTable, Place } from './mount-table';
import { type Mount, mountAt } from './mounts';

export interface Tables {
  readonly host: MountTable;
  readonly sandbox: MountTable;
}

/**
 * bwrap finds what it mounts, and where to, by its path. Whoever can write to a folder on the way may have put a link
 * there since we looked. What became of it is looked at here: whether a path shows in the sandbox the very place that
 * has this path on this machine, where no link is followed. A link leads to a place that is called otherwise.
 * @param mounts what was meant
 * @param folders in which others may have changed something
 * @returns the path of the first mount that is not what was meant; null where all are
 * @throws Error where that cannot be seen
 */
export function changedMount(mounts: readonly Mount[], folders: readonly string[], tables: Tables): string | null {
  const { host, sandbox } = tables;
  const isAsMeant = (mount: Mount): boolean => {
    const { path } = mount;
    const there = sandbox.at(path);
    if (there.point !== path) return false;
    // What is mounted there on this machine came with the folder around it. On that there has to be one more.
    const around = mountAt(dirname(path), mounts)?.kind;
    const cameAlong = host.at(path).point === path && (around === 'read' || around === 'write');
    if (cameAlong && sandbox.under(there)?.point !== path) return false;
    switch (mount.kind) {
      case 'read':
        return there.isReadOnly && shows(there, path, tables);
      case 'write':
        return shows(there, path, tables);
      case 'closed':
        return isSame(there, host.placeOf('/dev/null'));
      case 'private':
        return there.type === 'tmpfs' && there.root === '/' && there.device !== host.at(path).device;
      case 'link':
        return false;
    }
  };
  const touched = mounts.filter(({ kind, path }) => kind !== 'link' && folders.some((folder) => covers(folder, path)));
  return touched.find((mount) => !isAsMeant(mount))?.path ?? null;
}

/** Whether a mount shows what is at its place on this machine. */
function shows(there: Mounted, path: string, { host, sandbox }: Tables): boolean {
  if (!there.type.startsWith('nfs')) return isSame(there, host.placeOf(path));
  // This one names no paths (nfs_show_path in fs/nfs/super.c), so what is there is compared itself.
  const [seen, meant] = [sandbox.objectAt(path), host.objectAt(path)];
  return seen.mount === there.id && seen.device === meant.device && seen.inode === meant.inode;
}

const isSame = (one: Place, other: Place): boolean => one.device === other.device && one.root === other.root;
