import { visibleText } from './visible';

/** One line in which nothing is taken for markup. */
export function line(text: string): string {
  return visibleText(text)
    .replace(/\s+/gu, ' ')
    .replace(/[\\`*_{}[\]<>#|!~&]/gu, '\\$&');
}

export function code(text: string): string {
  const ticks = ticksAround(text, 1);
  return `${ticks} ${visibleText(text).replace(/\s+/gu, ' ')} ${ticks}`;
}

/** A block that nothing in it can close. */
export function fence(text: string): string {
  const ticks = ticksAround(text, 3);
  return `${ticks}text\n${visibleText(text)}\n${ticks}`;
}

/** More of them than stand in a row anywhere in the text. */
function ticksAround(text: string, least: number): string {
  let length = least;
  for (const [run] of text.matchAll(/`+/gu)) length = Math.max(length, run.length + 1);
  return '`'.repeat(length);
}

/**
 * Prose is Markdown already; it is quoted, so that it stays where it is. Its blocks of code get fences of ours. Outside of
 * these no HTML, no picture and no fence of its own is left, however whoever reads it reads Markdown.
 */
export function quote(text: string): string {
  return parts(visibleText(text))
    .flatMap(({ is, lines }) => (is === 'code' ? fence(lines.join('\n')).split('\n') : lines.map(inert)))
    .map((row) => `> ${row}`)
    .join('\n');
}

interface Part {
  readonly is: 'prose' | 'code';
  readonly lines: string[];
}

const OPENING = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/u;

/** What stands between fences, as CommonMark has them, and what does not. The last one may have no end. */
function parts(text: string): Part[] {
  const found: Part[] = [{ is: 'prose', lines: [] }];
  let opening = '';
  for (const row of text.split('\n')) {
    const mark = OPENING.exec(row)?.[1] ?? '';
    if (opening === '' && mark !== '') {
      opening = mark;
      found.push({ is: 'code', lines: [] });
    } else if (opening !== '' && mark.startsWith(opening) && row.trim() === mark) {
      opening = '';
      found.push({ is: 'prose', lines: [] });
    } else {
      found.at(-1)?.lines.push(row);
    }
  }
  return found;
}

/** What could begin or end a fence for some reader: in a list, in a quote, indented, with something behind it. */
const FENCE = /`{3,}|~{3,}/gu;

function inert(row: string): string {
  return row.replace(FENCE, '\\$&').replaceAll('<', '&lt;').replaceAll('![', '!\\[');
}
