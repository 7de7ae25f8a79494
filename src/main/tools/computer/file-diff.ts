import { type StructuredPatchHunk, structuredPatch } from 'diff';
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
const CONTEXT = 3;

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
  const lines = hunksOf(old, text(after, 'after')).flatMap((hunk) => [headOf(hunk), ...hunk.lines]);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count('+'), removed: count('-'), ...bounded([...remarks, ...lines]) };
}

function hunksOf(before: string, after: string): readonly StructuredPatchHunk[] {
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  return patch?.hunks ?? [replacement(before, after)];
}

/** One hunk that replaces all between the first and the last difference. */
function replacement(before: string, after: string): StructuredPatchHunk {
  const old = linesOf(before);
  const now = linesOf(after);
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;

  const start = Math.max(0, head - CONTEXT);
  const behind = Math.min(tail, CONTEXT);
  const lines = [
    ...old.slice(start, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + behind).map((line) => ` ${line}`),
  ];
  return {
    oldStart: start + 1,
    oldLines: old.length - tail + behind - start,
    newStart: start + 1,
    newLines: now.length - tail + behind - start,
    lines: lines.flatMap((line) =>
      line.endsWith('\n') ? [line.slice(0, -1)] : [line, '\\ No newline at end of file'],
    ),
  };
}

/** With their ends, so that a last line without one differs from one that has it. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/).filter((line) => line !== '');

function headOf(hunk: StructuredPatchHunk): string {
  // A range of no lines names the line before it (the format of GNU diff).
  const range = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;
  return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
}

function bounded(lines: readonly string[]): Pick<FileDiff, 'diff' | 'omittedLines'> {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    const cut = cutLine(line);
    length += cut.length + 1;
    if (shown.length === DIFF_LINES || length > DIFF_LENGTH) break;
    shown.push(cut);
  }
  return { diff: shown.join('\n'), omittedLines: lines.length - shown.length };
}

function cutLine(line: string): string {
  if (line.length <= DIFF_LINE_LENGTH) return line;
  // Not between the halves of a surrogate pair.
  const end = line.codePointAt(DIFF_LINE_LENGTH - 1) ?? 0;
  const kept = line.slice(0, end > 0xffff ? DIFF_LINE_LENGTH - 1 : DIFF_LINE_LENGTH);
  return `${kept} [... ${line.length - kept.length} more characters in this line]`;
}
