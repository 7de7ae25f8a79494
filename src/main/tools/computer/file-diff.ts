import { type StructuredPatchHunk, structuredPatch } from 'diff';
import { CONTEXT, countLines, type Differing, differing, firstLines } from './differing';
import { decodeText, isBinary } from './files';

/** Lines of a diff that are shown: more than anyone reads before deciding. */
export const DIFF_LINES = 2_000;
/** Characters of one line that are shown; a longer one is cut and says so. */
export const DIFF_LINE_LENGTH = 2_000;
/** Characters of a whole diff: it is journaled with every request and sent to the window. */
export const DIFF_LENGTH = 262_144;
/**
 * Beyond this many changed lines the smallest difference is not searched for, which takes the square of it: the changed
 * stretch is then shown as replaced. A count, not a time, because the same change must always give the same diff.
 */
const MAX_EDITS = 1_000;
/** The same from so many lines on: a text of millions would stop the whole app for seconds. */
const MAX_COMPARED = 100_000;

export interface FileDiff {
  readonly added: number;
  readonly removed: number;
  /** Unified, without file headers. Lines that begin with a backslash are remarks, as in every diff. */
  readonly diff: string;
  readonly omittedLines: number;
}

/** The change of a file from one content to another; null for one that does not exist yet. */
export function fileDiff(before: Buffer | null, after: Buffer): FileDiff {
  const remarks: string[] = [];
  const text = (content: Buffer, when: string): string => {
    const decoded = isBinary(content) ? null : decodeText(content);
    if (decoded === null) remarks.push(`\\ The file ${when} is not text: ${content.length} bytes`);
    return decoded ?? '';
  };
  const old = before === null ? '' : text(before, 'before');
  const { lines, added, removed, total } = changes(old, text(after, 'after'));
  return { added, removed, ...bounded([...remarks, ...lines], remarks.length + total) };
}

interface Changes {
  /** As many of them as can be shown. */
  readonly lines: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** Lines that there are. */
  readonly total: number;
}

function changes(before: string, after: string): Changes {
  const stretch = differing(before, after);
  if (stretch === null) return { lines: [], added: 0, removed: 0, total: 0 };
  const lines = smallest(stretch);
  if (lines === null) return replacement(stretch);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { lines, added: count('+'), removed: count('-'), total: lines.length };
}

/** The smallest difference; null where it would take too long to find. */
function smallest({ head, old, now, tail, line }: Differing): string[] | null {
  if (countLines(old) + countLines(now) > MAX_COMPARED) return null;
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', head + old + tail, head + now + tail, undefined, undefined, options);
  return (
    patch?.hunks.flatMap((hunk) => [
      headOf({ ...hunk, oldStart: hunk.oldStart + line - 1, newStart: hunk.newStart + line - 1 }),
      ...hunk.lines,
    ]) ?? null
  );
}

/** One hunk that replaces all between the first and the last difference. */
function replacement({ head, old, now, tail, line }: Differing): Changes {
  const [removed, added] = [countLines(old), countLines(now)];
  const around = countLines(head) + countLines(tail);
  const signed = (sign: string, text: string) => firstLines(text, DIFF_LINES).map((one) => sign + one);
  const body = [...signed(' ', head), ...signed('-', old), ...signed('+', now), ...signed(' ', tail)].flatMap((one) =>
    one.endsWith('\n') ? [one.slice(0, -1)] : [one, '\\ No newline at end of file'],
  );
  const hunk = { oldStart: line, oldLines: removed + around, newStart: line, newLines: added + around };
  const notGiven = Math.max(0, removed - DIFF_LINES) + Math.max(0, added - DIFF_LINES);
  return { lines: [headOf(hunk), ...body], added, removed, total: 1 + body.length + notGiven };
}

function headOf(hunk: Omit<StructuredPatchHunk, 'lines'>): string {
  // A range of no lines names the line before it (the format of GNU diff).
  const range = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;
  return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
}

/** What is added comes first: it is what will be there. Of a long stretch that goes, its beginning is enough. */
function bounded(lines: readonly string[], total: number): Pick<FileDiff, 'diff' | 'omittedLines'> {
  const cut = lines.map(cutLine);
  const isRemoved = (line: string) => line.startsWith('-');
  const lengthOf = (some: readonly string[]) => some.reduce((sum, line) => sum + line.length + 1, 0);
  const kept = cut.filter((line) => !isRemoved(line));
  const fits = total <= DIFF_LINES && lengthOf(cut) <= DIFF_LENGTH;
  const room = (limit: number, used: number) => (fits ? limit : Math.max(limit / 4, limit - used));
  let removedLines = room(DIFF_LINES, kept.length + 1);
  let removedLength = room(DIFF_LENGTH, lengthOf(kept) + MORE_REMOVED.length + 1);

  const shown: string[] = [];
  let length = 0;
  let omittedLines = total;
  let isLeavingOut = false;
  const push = (line: string): boolean => {
    length += line.length + 1;
    if (shown.length === DIFF_LINES || length > DIFF_LENGTH) return false;
    shown.push(line);
    return true;
  };
  for (const line of cut) {
    if (isRemoved(line)) {
      removedLines -= 1;
      removedLength -= line.length + 1;
      isLeavingOut = removedLines < 0 || removedLength < 0;
      if (isLeavingOut) continue;
    }
    if (isLeavingOut && !push(MORE_REMOVED)) break;
    isLeavingOut = false;
    if (!push(line)) break;
    omittedLines -= 1;
  }
  return { diff: shown.join('\n'), omittedLines };
}

const MORE_REMOVED = '\\ More lines are removed here, which are not shown';

function cutLine(line: string): string {
  if (line.length <= DIFF_LINE_LENGTH) return line;
  // Not between the halves of a surrogate pair.
  const end = line.codePointAt(DIFF_LINE_LENGTH - 1) ?? 0;
  const kept = line.slice(0, end > 0xffff ? DIFF_LINE_LENGTH - 1 : DIFF_LINE_LENGTH);
  return `${kept} [... ${line.length - kept.length} more characters in this line]`;
}
