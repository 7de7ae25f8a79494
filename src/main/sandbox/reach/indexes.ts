import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { type HashLength, linksInIndex, trackedInIndex } from './git-index';
import { commonFolderOf, look, readName, withFile } from './look';

/** In bytes: of some hundred thousand files. */
const MAX_INDEX = 16 * 1024 ** 2;

/** `unsettled`: it may become another one without looking any different. */
export type IndexVersion = string | 'none' | 'unsettled';

/** The index of a git folder. */
export interface FoundIndex {
  readonly path: string;
  /** The repositories in it, as they stand there; null where it cannot be read. */
  readonly links: readonly string[] | null;
  readonly version: IndexVersion;
}

/**
 * Whether what was read of an index counts as long as it is the same file with the same time of change, or is read again: who
 * has it mapped into memory can change it without that.
 */
export type Reading = 'known' | 'anew';

/** What was read of an index. */
const known = new Map<string, FoundIndex>();
const MAX_KNOWN = 500;
/** A file that was changed so short a time ago may be changed again without looking any different, in milliseconds. */
const SETTLED_MS = 100n;

export const versionOf = (stats: BigIntStats | null): IndexVersion =>
  stats === null ? 'none' : [stats.dev, stats.ino, stats.size, stats.ctimeNs].join(' ');

/** Of a git folder. */
export async function indexOf(folder: string, reading: Reading): Promise<FoundIndex> {
  const path = join(folder, 'index');
  const stats = await look(path);
  const version = versionOf(stats);
  if (stats === null) return { path, links: [], version };
  const before = known.get(path);
  if (reading === 'known' && before?.version === version) return before;
  const links = await linksIn(path, await hashLengthOf(folder));
  known.delete(path);
  if (BigInt(Date.now()) - stats.ctimeMs < SETTLED_MS) return { path, links, version: 'unsettled' };
  if (known.size >= MAX_KNOWN) known.clear();
  const found = { path, links, version };
  known.set(path, found);
  return found;
}

/** The configuration is closed to commands, so that this is what git goes by. */
async function hashLengthOf(folder: string): Promise<HashLength> {
  const common = await commonFolderOf(folder);
  const configs = [folder, ...(common === null ? [] : [common])].map((each) => join(each, 'config'));
  const found = await Promise.all(configs.map((path) => readName(path, /^\s*objectformat\s*=\s*"?(sha256)/imu)));
  return found.some((name) => name !== null) ? 32 : 20;
}

/** @returns null where it is none that can be read */
function linksIn(path: string, hashLength: HashLength): Promise<readonly string[] | null> {
  return withIndex(path, null, (index) => linksInIndex(index, hashLength));
}

/**
 * Of some paths in a working tree, with `/`, those that git tracks.
 * @param folder its git folder
 */
export async function trackedIn(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const hashLength = await hashLengthOf(folder);
  return withIndex(join(folder, 'index'), [], (index) => trackedInIndex(index, hashLength, paths));
}

function withIndex<T>(path: string, otherwise: T, read: (index: Buffer) => Promise<T>): Promise<T> {
  return withFile(path, otherwise, async (file) => {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= MAX_INDEX ? read(await file.readFile()) : otherwise;
  });
}
