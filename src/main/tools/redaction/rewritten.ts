/** A text with some places left out for a search, which still knows where everything stood in the original. */
export class Rewritten {
  private constructor(
    readonly text: string,
    /** Where each unbroken stretch begins: here, and in the original. */
    private readonly starts: readonly number[],
    private readonly origins: readonly number[],
  ) {}

  /** The text without whatever `pattern` finds. */
  static of(original: string, pattern: RegExp): Rewritten {
    const pieces: string[] = [];
    const starts = [0];
    const origins = [0];
    let read = 0;
    let written = 0;
    for (const match of original.matchAll(pattern)) {
      pieces.push(original.slice(read, match.index));
      written += match.index - read;
      read = match.index + match[0].length;
      starts.push(written);
      origins.push(read);
    }
    pieces.push(original.slice(read));
    return new Rewritten(pieces.join(''), starts, origins);
  }

  /** The range in the original that `start` to `end` here came from; at least one character. */
  range(start: number, end: number): { start: number; end: number } {
    return { start: this.origin(start), end: this.origin(end - 1) + 1 };
  }

  private origin(at: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return (this.origins[low] ?? 0) + at - (this.starts[low] ?? 0);
  }
}

// Every repetition here is bounded or cannot start in its own middle: the search stays linear on hostile text.

/** A colour or another control sequence of a terminal, also as it stands in JSON. */
const CONTROL_SEQUENCE = String.raw`(?:\x1b|(?<!\\)\\{1,8}u001[bB])\[[0-?]{0,32}[ -/]{0,4}[@-~]`;
const CONTROLS = new RegExp(CONTROL_SEQUENCE, 'g');

/** Characters that JSON and program text write with a backslash. */
const ESCAPES = new RegExp(String.raw`${CONTROL_SEQUENCE}|(?<!\\)\\{1,8}(?:[nrtbf"]|u00[01][0-9a-fA-F])`, 'g');

/** Ends of lines, escaped or not, with the next line's indentation, and control sequences. */
const WRAPS = new RegExp(String.raw`${CONTROL_SEQUENCE}|\n[ \t]*|\r|\\{1,8}[nr][ \t]*`, 'g');
const BLANKS = new RegExp(`${WRAPS.source}|[ \\t]+`, 'g');

/**
 * The text as the rules for shapes understand it: escaped line ends are line ends, escaped quotes are quotes, colours
 * are white space. Every character stands where it stood.
 */
export function plainly(text: string): string {
  if (!text.includes('\\') && !text.includes('\x1b')) return text;
  return text.replace(ESCAPES, (written: string, offset: number) => {
    if (written.endsWith('"')) {
      const opens = /[A-Za-z0-9_/+]/.test(text[offset + written.length] ?? '');
      return opens ? written.replaceAll('\\', ' ') : `"${' '.repeat(written.length - 1)}`;
    }
    return (written.includes('[') ? ' ' : '\n').repeat(written.length);
  });
}

/** The text without colours, for a word that has one in its middle; null where there is none. */
export function withoutColours(text: string): Rewritten | null {
  return text.search(CONTROLS) === -1 ? null : Rewritten.of(text, CONTROLS);
}

/**
 * The text as if it had never been wrapped into lines or coloured; null where it is not. With blanks `dropped` all other
 * white space goes, too: a line may have been wrapped at a space.
 */
export function unwrapped(text: string, blanks: 'kept' | 'dropped'): Rewritten | null {
  if (!['\n', '\r', '\\', '\x1b', ...(blanks === 'kept' ? [] : [' ', '\t'])].some((sign) => text.includes(sign)))
    return null;
  return Rewritten.of(text, blanks === 'kept' ? WRAPS : BLANKS);
}
