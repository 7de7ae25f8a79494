import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type ToolContext, ToolError } from '../tool';
import { isBinary, readRegular } from './files';
import { matchesGlob } from './glob';
import type { LineMatcher } from './line-matcher';
import { byName } from './order';
import { fileError, resolveInWorkspace, type WorkspacePath } from './workspace-path';

/** In bytes. Larger ones are data, not text that someone wrote. */
const SEARCH_FILE_LIMIT = 4 * 1024 * 1024;
/** The longest that one search takes, in milliseconds. */
export const SEARCH_TIME_MS = 20_000;
/** Characters of a whole answer. */
const ANSWER_LENGTH = 65_536;

export interface SearchOptions {
  readonly glob: string | null;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** In milliseconds; SEARCH_TIME_MS where it is not given. */
  readonly timeMs?: number;
}

/** The matching lines under a folder or of a file, and notes that say what was left out. */
export async function search(
  context: ToolContext,
  root: WorkspacePath,
  matcher: LineMatcher,
  options: SearchOptions,
): Promise<string> {
  const deadline = Date.now() + Math.min(options.timeMs ?? SEARCH_TIME_MS, context.toolTimeoutMs);
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
    for await (const path of filesUnder(root, options.glob)) {
      options.signal.throwIfAborted();
      if (Date.now() > deadline) return answer(`[Stopped for time before ${shown(context, path)}.]`);
      const text = await textOf(context, path, skipped);
      if (text === null) continue;
      const found = await matcher.match(text, options.limit - lines.length + 1, deadline);
      const name = shown(context, path);
      if (found === null) return answer(`[Stopped for time in ${name}: search less, or with a simpler pattern.]`);
      for (const match of found) {
        const line = `${name}:${match.line}: ${match.text}`;
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

/** Regular files, sorted, links not followed. */
async function* filesUnder(root: WorkspacePath, glob: string | null): AsyncGenerator<string> {
  if (root.stats?.isDirectory() !== true) {
    yield root.absolute;
    return;
  }
  yield* walk(root.absolute, root.absolute, glob);
}

async function* walk(top: string, folder: string, glob: string | null): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (folder === top) throw fileError(error, '.');
    // One folder that cannot be read does not hide the others.
    return [];
  });
  for (const entry of entries.sort(byName)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== '.git') yield* walk(top, path, glob);
    if (!entry.isFile()) continue;
    if (glob === null || matchesGlob(glob, relative(top, path).split(sep).join('/'))) yield path;
  }
}

async function textOf(context: ToolContext, path: string, skipped: string[]): Promise<string | null> {
  try {
    const content = await readRegular(await resolveInWorkspace(context.workspace, path, 'keep'), SEARCH_FILE_LIMIT);
    return isBinary(content) ? null : content.toString('utf8');
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    skipped.push(error.message.replace(/\.$/, ''));
    return null;
  }
}

const shown = (context: ToolContext, path: string): string => relative(context.workspace, path);

function shorten(skipped: readonly string[]): string {
  const more = skipped.length - 5;
  return skipped.slice(0, 5).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
