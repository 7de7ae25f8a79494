import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FILE_LIMIT, readRegular, sha256 } from './files';
import { identity } from './measure';
import { isInside, resolveInWorkspace } from './workspace-path';

/** In bytes, of all files of one command. Beyond it their sizes and times have to do. */
const HASH_LIMIT = 5 * FILE_LIMIT;

/**
 * Binds a decision to the files of the workspace that a command names, such as the script that it is to run: their
 * hashes by their names. What lies elsewhere is taken to be the system's own. For a file over FILE_LIMIT bytes its size
 * and time stand for its content.
 */
export async function boundFiles(
  workspace: string,
  cwd: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const bound: Record<string, string> = {};
  let left = HASH_LIMIT;
  for (const name of new Set(names.flatMap(withOptionValue))) {
    const file = await findFile(workspace, resolve(cwd, name));
    if (file === null) continue;
    left -= file.stats.size;
    bound[`file ${name}`] = await fingerprint(workspace, file, left > 0);
  }
  return bound;
}

/** `--config=x.js` names x.js as well. */
function withOptionValue(name: string): string[] {
  const value = /^-[^=]*=(.+)$/s.exec(name)?.[1];
  return value === undefined ? [name] : [name, value];
}

interface FoundFile {
  readonly real: string;
  readonly stats: Stats;
}

/** A regular file whose name or real place is in the workspace. */
async function findFile(workspace: string, place: string): Promise<FoundFile | null> {
  if (place.includes('\0')) return null;
  const real = await realpath(place).catch(() => null);
  if (real === null || (!isInside(workspace, real) && !isInside(workspace, place))) return null;
  const stats = await stat(real).catch(() => null);
  return stats?.isFile() === true ? { real, stats } : null;
}

async function fingerprint(workspace: string, { real, stats }: FoundFile, mayHash: boolean): Promise<string> {
  // A link out of the workspace can be bent in it; where it leads to is as much as there is to bind to.
  if (!isInside(workspace, real)) return `${real}:${identity(stats)}`;
  if (stats.size > FILE_LIMIT || !mayHash) return identity(stats);
  return readRegular(await resolveInWorkspace(workspace, real, 'keep')).then(sha256, () => identity(stats));
}
