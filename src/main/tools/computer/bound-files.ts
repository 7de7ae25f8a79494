import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { covers } from '../../sandbox/paths';
import { type ToolContext, ToolError } from '../tool';
import { type FileRules, fileRules, isHidden, writable } from './file-rules';
import { FILE_LIMIT, readRegular, sha256 } from './files';
import { identity } from './measure';
import { namesIn } from './named-files';

/** In bytes, of all files of one command. Beyond it their sizes and times have to do. */
const HASH_LIMIT = 5 * FILE_LIMIT;

/** How many places are looked at for one command, and how many at once. */
const MAX_PLACES = 50_000;
/** A file system that does not answer holds up a thread for each; see file-lane.ts. */
const AT_ONCE = 4;
/** Folders of the command's own words that its other words are looked for in, as behind `cd FOLDER`. */
const MAX_FOLDERS = 8;

/**
 * Binds a decision to the files that a command names and a run can write, such as the script that it is to run: their
 * hashes by their names. What lies elsewhere is taken to be the system's own. For a file over FILE_LIMIT bytes its size
 * and times stand for its content.
 * @throws ToolError where there are more words than can be looked at: nothing runs that the decision is not bound to
 */
export async function boundFiles(
  place: Pick<ToolContext, 'workspace' | 'sandbox'>,
  cwd: string,
  words: readonly string[],
): Promise<Record<string, string>> {
  const rules = await fileRules(place);
  const names = namesIn(words);
  refuseTooMany(names.length);
  const here = await findAll(rules, cwd, names);
  const folders = here.filter((found) => found.stats.isDirectory() && found.real !== cwd).slice(0, MAX_FOLDERS);
  refuseTooMany(names.length * (1 + folders.length));
  const relative = names.filter((name) => !isAbsolute(name));
  const below = await Promise.all(
    folders.map(async (folder) =>
      (await findAll(rules, folder.real, relative)).map((found) => ({
        ...found,
        name: `${folder.name}/${found.name}`,
      })),
    ),
  );
  const bound: Record<string, string> = {};
  let left = HASH_LIMIT;
  for (const file of [...here, ...below.flat()]) {
    if (!file.stats.isFile()) continue;
    left -= file.stats.size;
    bound[`file ${file.name}`] = await fingerprint(rules, file, left > 0);
  }
  return bound;
}

function refuseTooMany(places: number): void {
  if (places <= MAX_PLACES) return;
  throw new ToolError(
    'The command has more words than can be looked at for files that it names: put it into a script, and run that.',
  );
}

/** Those of the names that are there, in the order of the names. */
async function findAll(rules: FileRules, folder: string, names: readonly string[]): Promise<FoundFile[]> {
  const found: (FoundFile | null)[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE);
    found.push(...(await Promise.all(some.map((name) => find(rules, name, resolve(folder, name))))));
  }
  return found.filter((file) => file !== null);
}

interface FoundFile {
  readonly name: string;
  readonly real: string;
  readonly stats: Stats;
}

/** Something whose name or real place is where a run can write. */
async function find(rules: FileRules, name: string, place: string): Promise<FoundFile | null> {
  const real = await realpath(place).catch(() => null);
  if (real === null || isHidden(rules, real)) return null;
  if (!writable(rules).some((folder) => covers(folder, real) || covers(folder, place))) return null;
  const stats = await stat(real).catch(() => null);
  return stats === null ? null : { name, real, stats };
}

async function fingerprint(rules: FileRules, { name, real, stats }: FoundFile, mayHash: boolean): Promise<string> {
  // A link out of there can be bent; where it leads to is as much as there is to bind to.
  if (!writable(rules).some((folder) => covers(folder, real))) return `${real}:${identity(stats)}`;
  if (stats.size > FILE_LIMIT || !mayHash) return identity(stats);
  return readRegular({ absolute: real, shown: name, stats }).then(sha256, () => identity(stats));
}
