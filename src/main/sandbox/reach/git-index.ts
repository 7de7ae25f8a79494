import { setImmediate } from 'node:timers/promises';

/** What an index names that matters here: git goes into each repository that stands in it, and does what that one's configuration says. */
export interface IndexContent {
  /** The paths of the repositories in it, as they stand there: from the top of the working tree, with `/`. */
  readonly links: readonly string[];
  /** The name of the file that has the rest of it, beside it; null where it is whole (gitformat-index: split index). */
  readonly shared: string | null;
}

/** `S_IFGITLINK` of gitformat-index: the entry is another repository. */
const GITLINK = 0o160000;
const SIGNATURE = 'DIRC';
const HEADER = 12;
/** From the start of an entry, in bytes: the mode, and the hash with the flags behind it. */
const MODE = 24;
const HASH = 40;
const EXTENDED = 0x4000;
/** In bytes: SHA-1 and SHA-256. Which of them it is stands in the configuration only. */
const HASH_LENGTHS = [20, 32];
/** Folders in each other: of a repository that somebody made for a reason. */
const MAX_DEPTH = 64;
/** Entries that are read in a few milliseconds. */
const AT_ONCE = 20_000;

/**
 * Reads the index of a git repository (gitformat-index, versions 2 to 4).
 * @returns null for what is no index, or of a kind that is not known here: git may find anything in it; also for names
 *   that nobody gives
 */
export async function readIndex(index: Buffer): Promise<IndexContent | null> {
  const read: IndexContent[] = [];
  for (const length of HASH_LENGTHS) {
    const content = await readAs(index, length);
    if (content !== null) read.push(content);
  }
  // One that can be read in both ways names all that it names in either.
  const shared = read.map((content) => content.shared).filter((name) => name !== null);
  if (read.length === 0 || shared.length > 1) return null;
  return { links: [...new Set(read.flatMap(({ links }) => links))], shared: shared[0] ?? null };
}

async function readAs(index: Buffer, hashLength: number): Promise<IndexContent | null> {
  if (index.length < HEADER + hashLength || index.toString('latin1', 0, 4) !== SIGNATURE) return null;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const links: string[] = [];
  const end = index.length - hashLength;
  let at = HEADER;
  let name: Buffer = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (left % AT_ONCE === 0) await setImmediate();
    const entry = readEntry(index, at, { end, hashLength, version, before: name });
    if (entry === null) return null;
    if (entry.mode === GITLINK) {
      const text = entry.name.toString('utf8');
      // No path could be made of it, or none that anybody would look at.
      if (!Buffer.from(text).equals(entry.name) || text.split('/').length > MAX_DEPTH) return null;
      links.push(text);
    }
    at = entry.next;
    // The others have their names whole.
    if (version === 4) name = entry.name;
  }
  const shared = readExtensions(index, at, { end, hashLength });
  return shared === undefined ? null : { links, shared };
}

interface Place {
  readonly end: number;
  readonly hashLength: number;
}

function readEntry(
  index: Buffer,
  at: number,
  { end, hashLength, version, before }: Place & { readonly version: number; readonly before: Buffer },
): { readonly mode: number; readonly name: Buffer; readonly next: number } | null {
  const flags = at + HASH + hashLength;
  if (flags + 2 > end) return null;
  const mode = index.readUInt32BE(at + MODE);
  const isExtended = (index.readUInt16BE(flags) & EXTENDED) !== 0;
  if (isExtended && version === 2) return null;
  let start = flags + (isExtended ? 4 : 2);
  let kept: Buffer = Buffer.alloc(0);
  if (version === 4) {
    const cut = readVarint(index, start, end);
    if (cut === null || cut.value > before.length) return null;
    kept = before.subarray(0, before.length - cut.value);
    start = cut.next;
  }
  const stop = index.indexOf(0, start);
  if (stop < 0 || stop >= end) return null;
  const name = index.subarray(start, stop);
  if (version === 4) return { mode, name: Buffer.concat([kept, name]), next: stop + 1 };
  // Filled up with one to eight NUL to a multiple of eight.
  const length = Math.floor((stop - at + 8) / 8) * 8;
  return at + length > end ? null : { mode, name, next: at + length };
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

/** @returns the file that has the rest; null for none; undefined where there is something else that must be understood */
function readExtensions(index: Buffer, from: number, { end, hashLength }: Place): string | null | undefined {
  let shared: string | null = null;
  let at = from;
  while (at < end) {
    if (at + 8 > end) return undefined;
    const kind = index.toString('latin1', at, at + 4);
    const length = index.readUInt32BE(at + 4);
    const start = at + 8;
    if (start + length > end) return undefined;
    if (kind === 'link') {
      if (length < hashLength) return undefined;
      const hash = index.toString('hex', start, start + hashLength);
      shared = /^0+$/.test(hash) ? null : `sharedindex.${hash}`;
    } else if (kind !== 'sdir' && !/^[A-Z]/.test(kind)) return undefined;
    at = start + length;
  }
  return shared;
}
