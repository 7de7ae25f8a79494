import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { type IndexContent, readIndex } from './git-index';
import { look, withFile } from './look';

/** In bytes: of some hundred thousand files. */
const MAX_INDEX = 64 * 1024 ** 2;

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

export async function indexOf(folder: string, reading: Reading): Promise<FoundIndex> {
  const path = join(folder, 'index');
  const stats = await look(path);
  const version = versionOf(stats);
  if (stats === null) return { path, links: [], version };
  const before = known.get(path);
  if (reading === 'known' && before?.version === version) return before;
  const { links, isSplit } = await linksIn(folder);
  known.delete(path);
  const isUnsettled = isSplit || BigInt(Date.now()) - stats.ctimeMs < SETTLED_MS;
  if (isUnsettled) return { path, links, version: 'unsettled' };
  if (known.size >= MAX_KNOWN) known.clear();
  const found = { path, links, version };
  known.set(path, found);
  return found;
}

interface Links {
  readonly links: readonly string[] | null;
  /** Whether they stand in more than one file. */
  readonly isSplit: boolean;
}

/** @returns null for the links where it is no index that can be read */
async function linksIn(folder: string): Promise<Links> {
  const content = await indexFile(join(folder, 'index'));
  if (content === null || content.shared === null) return { links: content?.links ?? null, isSplit: false };
  const rest = await indexFile(join(folder, content.shared));
  return { links: rest === null || rest.shared !== null ? null : [...content.links, ...rest.links], isSplit: true };
}

async function indexFile(path: string): Promise<IndexContent | null> {
  return withFile(path, null, async (file) => {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_INDEX) return null;
    return readIndex(await file.readFile());
  });
}
