import { setImmediate } from 'node:timers/promises';

/** `S_IFGITLINK` and the directory of a sparse index, of gitformat-index. */
const GITLINK = 0o160000;
const SPARSE_FOLDER = 0o040000;
const SIGNATURE = 'DIRC';
const HEADER = 12;
/** From the start of an entry, in bytes: the mode, and the hash with the flags behind it. */
const MODE = 24;
const HASH = 40;
const EXTENDED = 0x4000;
const LENGTH = 0xfff;
/** Extensions in which no entries stand. Of any other, git may know what we do not. */
const PLAIN: ReadonlySet<string> = new Set(['TREE', 'REUC', 'UNTR', 'FSMN']);
/** Of a repository in another one: deeper and longer than anybody makes them. In folders, and in bytes. */
const MAX_DEPTH = 20;
const MAX_NAME = 1_024;
/** Entries that are read in a few milliseconds. */
const AT_ONCE = 20_000;

/** Bytes of a hash: SHA-1 or SHA-256. Which of them it is stands in the configuration only. */
export type HashLength = 20 | 32;

/**
 * The repositories that stand in the index of another one (gitformat-index, versions 2 to 4), by their paths from the top of
 * the working tree, with `/`: git goes into each, and does what its configuration says.
 * @returns null where git may find anything else in it than we do: what is no index, one that is split or sparse, one with
 *   what we do not know, or with names that nobody gives
 */
export async function linksInIndex(index: Buffer, hashLength: HashLength): Promise<readonly string[] | null> {
  const entries = await entriesOf(index, hashLength);
  const links = entries?.flatMap(({ mode, name }) => (mode === GITLINK ? [pathOf(name)] : [])) ?? [null];
  return links.some((path) => path === null) ? null : links.filter((path) => path !== null);
}

/** Of some paths in a working tree, with `/`, those that stand in its index, or hold what does; none where it cannot be read. */
export async function trackedInIndex(
  index: Buffer,
  hashLength: HashLength,
  paths: readonly string[],
): Promise<readonly string[]> {
  const entries = (await entriesOf(index, hashLength)) ?? [];
  const sought = paths.map((path) => ({ path, itself: Buffer.from(path), folder: Buffer.from(`${path}/`) }));
  const stands = sought.filter(({ itself, folder }) =>
    entries.some(({ name }) => name.equals(itself) || name.subarray(0, folder.length).equals(folder)),
  );
  return stands.map(({ path }) => path);
}

async function entriesOf(index: Buffer, hashLength: HashLength): Promise<readonly Entry[] | null> {
  if (index.length < HEADER + hashLength || index.toString('latin1', 0, 4) !== SIGNATURE) return null;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const place: Place = { end: index.length - hashLength, hashLength, version };
  const entries: Entry[] = [];
  let at = HEADER;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (left % AT_ONCE === 0) await setImmediate();
    const entry = readEntry(index, at, place, entries.at(-1)?.name ?? EMPTY);
    if (entry === null || entry.name.length === 0 || entry.mode === SPARSE_FOLDER) return null;
    entries.push(entry);
    at = entry.next;
  }
  return areExtensionsPlain(index, at, place, entries) ? entries : null;
}

const EMPTY = Buffer.alloc(0);

interface Place {
  readonly end: number;
  readonly hashLength: HashLength;
  readonly version: number;
}

interface Entry {
  readonly at: number;
  readonly mode: number;
  readonly name: Buffer;
  /** How much of its name is that of the one before, in bytes. */
  readonly kept: number;
  readonly next: number;
}

function readEntry(index: Buffer, at: number, { end, hashLength, version }: Place, before: Buffer): Entry | null {
  const place = at + HASH + hashLength;
  if (place + 2 > end) return null;
  const mode = index.readUInt32BE(at + MODE);
  const flags = index.readUInt16BE(place);
  const isExtended = (flags & EXTENDED) !== 0;
  if (isExtended && version === 2) return null;
  let start = place + (isExtended ? 4 : 2);
  let kept = 0;
  if (version === 4) {
    const cut = readVarint(index, start, end);
    if (cut === null || cut.value > before.length) return null;
    kept = before.length - cut.value;
    start = cut.next;
  }
  const stop = index.indexOf(0, start);
  if (stop < 0 || stop >= end) return null;
  const own = index.subarray(start, stop);
  const name = kept === 0 ? own : Buffer.concat([before.subarray(0, kept), own]);
  // Git goes by this length, and not by where a name ends, as far as it can be said in it.
  if ((flags & LENGTH) !== Math.min(name.length, LENGTH)) return null;
  // Filled up with one to eight NUL to a multiple of eight, but for the names that are cut.
  const next = version === 4 ? stop + 1 : at + Math.floor((stop - at + 8) / 8) * 8;
  return next > end ? null : { at, mode, name, kept, next };
}

/** The number of varint.c: each byte but the last has its highest bit set, and counts one more than its bits. */
function readVarint(index: Buffer, at: number, end: number): { readonly value: number; readonly next: number } | null {
  let value = 0;
  for (let next = at; next < end && next < at + 5; next += 1) {
    const byte = index[next] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: next + 1 };
    value += 1;
  }
  return null;
}

/** As a path that leads to where git goes: it takes a name as it stands. */
function pathOf(name: Buffer): string | null {
  const path = name.toString('utf8');
  const parts = path.split('/');
  const isOdd = (part: string): boolean =>
    part === '' || part === '.' || part === '..' || /^(?:\.git|git~\d+)$/iu.test(part);
  if (name.length > MAX_NAME || parts.length > MAX_DEPTH || parts.some(isOdd)) return null;
  return Buffer.from(path).equals(name) ? path : null;
}

function areExtensionsPlain(index: Buffer, from: number, { end }: Place, entries: readonly Entry[]): boolean {
  let at = from;
  while (at < end) {
    if (at + 8 > end) return false;
    const kind = index.toString('latin1', at, at + 4);
    const start = at + 8;
    const next = start + index.readUInt32BE(at + 4);
    if (next > end) return false;
    const content = index.subarray(start, next);
    if (kind === 'EOIE') {
      // Where the entries end: git begins to read what is behind them there.
      if (content.length < 4 || content.readUInt32BE(0) !== from) return false;
    } else if (kind === 'IEOT') {
      if (!areBlocks(content, entries)) return false;
    } else if (!PLAIN.has(kind)) return false;
    at = next;
  }
  return true;
}

/** Whether a table of blocks leads to the very entries, as git may read each block by itself. */
function areBlocks(table: Buffer, entries: readonly Entry[]): boolean {
  if (table.length < 4 || (table.length - 4) % 8 !== 0 || table.readUInt32BE(0) !== 1) return false;
  let first = 0;
  for (let at = 4; at < table.length; at += 8) {
    const entry = entries[first];
    if (entry === undefined || entry.at !== table.readUInt32BE(at) || entry.kept !== 0) return false;
    first += table.readUInt32BE(at + 4);
  }
  return first === entries.length;
}
