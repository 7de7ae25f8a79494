import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError, type WorkspacePath } from './workspace-path';

/** Counting stops here: it only informs, and a larger number would say nothing else. */
const MAX_ENTRIES = 250_000;

export interface Size {
  /** Everything that is not a folder; a link counts as itself. */
  readonly files: number;
  readonly bytes: number;
}

/** What a file or folder holds, links not followed. @throws ToolError where a part of it cannot be read. */
export async function measure(path: WorkspacePath): Promise<Size> {
  if (path.stats?.isDirectory() !== true) return { files: 1, bytes: path.stats?.size ?? 0 };
  let files = 0;
  let bytes = 0;
  const folders = [path.absolute];
  for (let folder = folders.pop(); folder !== undefined && files < MAX_ENTRIES; folder = folders.pop()) {
    const here = folder;
    const entries = await readdir(here, { withFileTypes: true }).catch((error: unknown) => {
      throw fileError(error, path.relative);
    });
    for (const entry of entries) {
      if (entry.isDirectory()) {
        folders.push(join(here, entry.name));
        continue;
      }
      files++;
      bytes += (await lstat(join(here, entry.name)).catch(() => null))?.size ?? 0;
    }
  }
  return { files, bytes };
}

/**
 * Tells a file or folder from another one at the same place, and from itself after a change: also one whose writer set
 * its time back, because nobody can set the time of the last change of that.
 */
export function identity(stats: Stats): string {
  return [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
}
