import { basename, dirname, join, relative, sep } from 'node:path';
import { ToolError } from '../tool';
import { fileError } from './file-error';
import { type FileRules, isHidden } from './file-rules';
import { isBinary, readIn } from './files';
import { matchesGlob } from './glob';
import { type Entry, HeldFolder, type Name } from './held-folder';
import type { LineMatcher } from './line-matcher';
import { byShown } from './order';
import type { ResolvedPath } from './resolve-path';

/** In bytes. Larger ones are data, not text that someone wrote. */
const SEARCH_FILE_LIMIT = 4 * 1024 * 1024;
/** The longest that one search takes, in milliseconds. */
export const SEARCH_TIME_MS = 20_000;
/** Characters of a whole answer. */
const ANSWER_LENGTH = 65_536;

export interface SearchOptions {
  readonly rules: FileRules;
  readonly glob: string | null;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** In milliseconds; SEARCH_TIME_MS where it is not given, or longer. */
  readonly timeMs?: number;
}

/** The matching lines under a folder or of a file, and notes that say what was left out. */
export async function search(root: ResolvedPath, matcher: LineMatcher, options: SearchOptions): Promise<string> {
  const deadline = Date.now() + Math.min(options.timeMs ?? SEARCH_TIME_MS, SEARCH_TIME_MS);
  const stop = (): void => void matcher.end();
  options.signal.addEventListener('abort', stop, { once: true });
  const lines: string[] = [];
  const skipped: string[] = [];
  let length = 0;
  const answer = (note: string): string => {
    const notes = note === '' ? [] : [note];
    if (skipped.length > 0) notes.push(`[Not searched: ${shorten(skipped)}]`);
    return [...(lines.length === 0 ? ['[Nothing matches.]'] : lines), ...notes].join('\n');
  };
  try {
    for await (const { folder, name, shown } of filesUnder(root, options, skipped)) {
      options.signal.throwIfAborted();
      if (Date.now() > deadline) return answer(`[Stopped for time before ${shown}.]`);
      const text = await textOf(folder, name, shown, skipped);
      if (text === null) continue;
      const found = await matcher.match(text, options.limit - lines.length + 1, deadline);
      if (found === null) return answer(`[Stopped for time in ${shown}: search less, or with a simpler pattern.]`);
      for (const match of found) {
        const line = `${shown}:${match.line}: ${match.text}`;
        length += line.length + 1;
        if (lines.length === options.limit) return answer(`[There is more: cut at ${options.limit} results.]`);
        if (length > ANSWER_LENGTH) return answer(`[There is more: cut at ${ANSWER_LENGTH} characters.]`);
        lines.push(line);
      }
    }
    return answer('');
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

/** A regular file in a folder that is held as long as the file is looked at. */
interface FoundFile {
  readonly folder: HeldFolder;
  readonly name: Name;
  readonly shown: string;
}

type Walk = Pick<SearchOptions, 'rules' | 'glob' | 'signal'> & { readonly top: string; readonly skipped: string[] };

/** Sorted, links not followed. */
async function* filesUnder(root: ResolvedPath, options: SearchOptions, skipped: string[]): AsyncGenerator<FoundFile> {
  const { absolute, shown } = root;
  if (root.stats?.isDirectory() === true) {
    yield* walk(await HeldFolder.open(absolute, shown), { ...options, top: absolute, skipped });
    return;
  }
  const folder = await HeldFolder.open(dirname(absolute), shown);
  try {
    yield { folder, name: basename(absolute), shown };
  } finally {
    await folder.close();
  }
}

/** Closes the folder. */
async function* walk(folder: HeldFolder, options: Walk): AsyncGenerator<FoundFile> {
  const { rules, glob, signal, top } = options;
  try {
    for (const entry of await entriesOf(folder, options)) {
      signal.throwIfAborted();
      const path = join(folder.path, entry.shown);
      if (entry.kind === 'folder' && entry.shown !== '.git' && !isHidden(rules, path)) {
        const below = await folder.folder(entry.name, rules.show(path)).catch((error: unknown) => {
          skip(error, options.skipped);
          return null;
        });
        if (below !== null) yield* walk(below, options);
      }
      if (entry.kind !== 'file') continue;
      if (glob !== null && !matchesGlob(glob, relative(top, path).split(sep).join('/'))) continue;
      yield { folder, name: entry.name, shown: rules.show(path) };
    }
  } finally {
    await folder.close();
  }
}

async function entriesOf(folder: HeldFolder, { rules, top, skipped }: Walk): Promise<Entry[]> {
  try {
    return (await folder.entries()).sort(byShown);
  } catch (error) {
    const wrong = fileError(error, rules.show(folder.path));
    if (folder.path === top) throw wrong;
    // One folder that cannot be read does not hide the others.
    skip(wrong, skipped);
    return [];
  }
}

/** @throws what is no ToolError */
function skip(error: unknown, skipped: string[]): void {
  if (!(error instanceof ToolError)) throw error;
  skipped.push(error.message.replace(/\.$/, ''));
}

async function textOf(folder: HeldFolder, name: Name, shown: string, skipped: string[]): Promise<string | null> {
  try {
    const content = await readIn(folder, name, shown, SEARCH_FILE_LIMIT);
    return isBinary(content) ? null : content.toString('utf8');
  } catch (error) {
    skip(error, skipped);
    return null;
  }
}

function shorten(skipped: readonly string[]): string {
  const more = skipped.length - 5;
  return skipped.slice(0, 5).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
