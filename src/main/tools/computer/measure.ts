import type { Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileError } from './file-error';
import { HeldFolder, type Name } from './held-folder';
import type { ResolvedPath } from './resolve-path';

/** Counting stops here: it only informs, and a larger number would say nothing else. */
const MAX_ENTRIES = 250_000;

export interface Size {
  /** Everything that is not a folder; a link counts as itself. */
  readonly files: number;
  readonly bytes: number;
}

/** What a file or folder holds, links not followed. @throws ToolError where a part of it cannot be read, or is too deep */
export async function measure({ absolute, shown, stats }: ResolvedPath): Promise<Size> {
  if (stats?.isDirectory() !== true) return { files: 1, bytes: stats?.size ?? 0 };
  const size = { files: 0, bytes: 0 };
  const parent = await HeldFolder.open(dirname(absolute), shown);
  try {
    await count(parent, basename(absolute), shown, size);
  } catch (error) {
    throw fileError(error, shown);
  } finally {
    await parent.close();
  }
  return size;
}

async function count(
  parent: HeldFolder,
  name: Name,
  shown: string,
  size: { files: number; bytes: number },
): Promise<void> {
  const folder = await parent.folder(name, shown);
  try {
    for (const entry of await folder.entries()) {
      if (size.files >= MAX_ENTRIES) return;
      if (entry.kind === 'folder') {
        await count(folder, entry.name, shown, size);
      } else {
        size.files += 1;
        size.bytes += (await folder.lstat(entry.name).catch(() => null))?.size ?? 0;
      }
    }
  } finally {
    await folder.close();
  }
}

/**
 * Tells a file or folder from another one at the same place, and from itself after a change: also one whose writer set
 * its time back, because nobody can set the time of the last change of that.
 */
export function identity(stats: Stats): string {
  return [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
}
