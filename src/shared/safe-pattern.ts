/** A pattern in a file of the operator's, longer than which nobody reads it. */
const MAX_PATTERN = 200;
/** How many ways through a text a pattern may have at most: some milliseconds of a backtracking matcher. */
const MAX_WAYS = 3_000_000;

/** The longest name of a tool that the Messages API takes. */
export const MAX_TOOL_NAME = 128;

/**
 * Why a regular expression is refused, or null where it can be used on texts of up to `textLength` characters without
 * ever hanging. JavaScript's matcher backtracks, so the ways that it could try are counted beforehand: each repetition
 * stands for as many as the text is long, each alternative for one, and all of them multiply. What repeats something
 * that repeats or has alternatives itself multiplies without end and is refused, as are back references and
 * look-around.
 */
export function patternProblem(pattern: string, textLength: number): string | null {
  if (pattern.length > MAX_PATTERN) return `longer than ${MAX_PATTERN} characters`;
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
    return `not a regular expression: ${why}`;
  }
  const scan = new Scan(pattern, textLength);
  const ways = scan.alternatives();
  if (scan.problem !== null) return scan.problem;
  const starts = pattern.startsWith('^') ? 1 : textLength + 1;
  return ways * starts > MAX_WAYS ? 'has so many repetitions that it could take very long: make it simpler' : null;
}

/** Walks over a pattern that is known to be well-formed, and counts its ways. */
class Scan {
  problem: string | null = null;
  #at = 0;

  constructor(
    private readonly pattern: string,
    private readonly textLength: number,
  ) {}

  /** The ways through `a|b|c`, up to the end of its group. */
  alternatives(): number {
    let ways = 0;
    do {
      ways += this.#sequence();
    } while (this.#take('|'));
    return ways;
  }

  #sequence(): number {
    let ways = 1;
    while (this.#at < this.pattern.length && !this.#sees('|') && !this.#sees(')')) {
      const inner = this.#one();
      const repeats = this.#quantifier();
      if (repeats > 1 && inner > 1) this.problem ??= 'repeats something that itself repeats or has alternatives';
      ways *= inner * repeats;
    }
    return ways;
  }

  /** One thing that a quantifier can follow: its own ways. */
  #one(): number {
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return this.#class();
    if (this.#take('\\')) {
      if (/[1-9k]/.test(this.pattern[this.#at] ?? '')) this.problem ??= 'back references are not allowed';
      // \p{..}, \u{..}: the braces belong to the escape.
      const braced = /^[pPu]\{[^}]*\}/u.exec(this.pattern.slice(this.#at))?.[0];
      this.#at += braced?.length ?? 1;
      return 1;
    }
    this.#at += 1;
    return 1;
  }

  #group(): number {
    if (this.#take('?')) {
      if (/^(?:=|!|<=|<!)/.test(this.pattern.slice(this.#at))) this.problem ??= 'look-around is not allowed';
      this.#at += /^(?::|=|!|<=|<!|<[^>]*>)/.exec(this.pattern.slice(this.#at))?.[0].length ?? 0;
    }
    const ways = this.alternatives();
    this.#take(')');
    return ways;
  }

  #class(): number {
    while (this.#at < this.pattern.length && !this.#take(']')) this.#at += this.#sees('\\') ? 2 : 1;
    return 1;
  }

  /** How many counts a quantifier allows; 1 where there is none. */
  #quantifier(): number {
    const found = /^(?:[*+?]|\{(\d+)(,(\d*))?\})/.exec(this.pattern.slice(this.#at));
    if (found === null) return 1;
    this.#at += found[0].length;
    this.#take('?');
    const [whole, least, comma, most] = found;
    if (whole === '?') return 2;
    if (whole === '*' || whole === '+') return this.textLength + 1;
    // An exact count repeats all the same: (a|b){40} has as many ways as it has letters to choose.
    if (comma === undefined) return Math.min(Number(least), 2);
    const range = most === '' ? this.textLength : Number(most) - Number(least);
    return Math.min(range, this.textLength) + 1;
  }

  #sees(char: string): boolean {
    return this.pattern[this.#at] === char;
  }

  #take(char: string): boolean {
    if (!this.#sees(char)) return false;
    this.#at += 1;
    return true;
  }
}
