import type { Found } from './placeholder';
import { unwrapped } from './rewritten';
import { type Spelling, spellings } from './spellings';

/** A value that must never be shown, and what to call it. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Fewer characters than this are no secret that could be told from other text, and no telling part of one. */
export const MIN_KNOWN_LENGTH = 4;
/** Only from this length on a value is also found across a line end: two columns of short words are not a secret. */
const MIN_WRAPPED_LENGTH = 16;
/** Beside a cut a secret's half is looked for in this much text, in characters; a longer half is gone only so far. */
const LONGEST_EDGE = 4_096;

interface Searched extends Spelling {
  readonly what: string;
}

/** Finds known values in time linear in the text, however many there are. */
export class KnownValues {
  /** The longest spelling, in characters. */
  readonly longest: number;
  /** How much text beside a cut is enough to find a half. Line ends in it count too. */
  readonly edge: number;
  readonly labels: ReadonlySet<string>;
  private readonly all: readonly Searched[];
  /** Values with blanks in them are rare, and the search without blanks is the dearer one. */
  private readonly blanks: 'kept' | 'dropped';
  private readonly plain: Index;
  private readonly wrapped: Index;

  constructor(known: readonly KnownSecret[]) {
    const all = new Map<string, Searched>();
    for (const { name, value } of known) {
      if (value.length < MIN_KNOWN_LENGTH) continue;
      for (const spelling of spellings(value)) {
        const what = label(name) + (spelling.how === '' ? '' : ` (${spelling.how})`);
        if (!all.has(spelling.text)) all.set(spelling.text, { ...spelling, what });
      }
    }
    this.all = [...all.values()].sort((a, b) => b.text.length - a.text.length);
    this.longest = this.all[0]?.text.length ?? 0;
    this.edge = Math.min(LONGEST_EDGE, 2 * this.longest);
    this.labels = new Set(this.all.map(({ what }) => what));
    this.plain = new Index(this.all);
    this.blanks = this.all.some(({ text }) => /[ \t]/.test(text)) ? 'dropped' : 'kept';
    this.wrapped = new Index(
      this.all
        .filter(({ text }) => text.length >= MIN_WRAPPED_LENGTH)
        .map((spelling) => ({ ...spelling, text: unwrapped(spelling.text, this.blanks)?.text ?? spelling.text }))
        .filter(({ text }) => text.length >= MIN_WRAPPED_LENGTH),
    );
  }

  find(text: string): Found[] {
    if (this.all.length === 0) return [];
    const found = this.plain.find(text);
    const joined = unwrapped(text, this.blanks);
    if (joined === null) return found;
    return [
      ...found,
      ...this.wrapped.find(joined.text).map(({ start, end, what }) => ({ ...joined.range(start, end), what })),
    ];
  }

  /** A known value that the text breaks off in: from its start to the end of the text. */
  brokenOff(text: string): Found | null {
    const offset = Math.max(0, text.length - this.edge);
    const edge = text.slice(offset);
    const plain = this.plain.longest(edge, startOf);
    const joined = unwrapped(edge, this.blanks);
    const wrapped = joined === null ? null : this.wrapped.longest(joined.text, startOf);
    const starts: Found[] = [];
    if (plain !== null) starts.push({ start: text.length - plain.length, end: text.length, what: plain.what });
    if (wrapped !== null && joined !== null) {
      const { start } = joined.range(joined.text.length - wrapped.length, joined.text.length);
      starts.push({ start: offset + start, end: text.length, what: wrapped.what });
    }
    return starts.sort((a, b) => a.start - b.start)[0] ?? null;
  }

  /** A known value that began before the text: from the start of the text to its end. */
  brokenInto(text: string): Found | null {
    const edge = text.slice(0, this.edge);
    const plain = this.plain.longest(edge, endOf);
    const joined = unwrapped(edge, this.blanks);
    const wrapped = joined === null ? null : this.wrapped.longest(joined.text, endOf);
    const ends: Found[] = [];
    if (plain !== null) ends.push({ start: 0, end: plain.length, what: plain.what });
    if (wrapped !== null && joined !== null) {
      ends.push({ start: 0, end: joined.range(0, wrapped.length).end, what: wrapped.what });
    }
    return ends.sort((a, b) => b.end - a.end)[0] ?? null;
  }
}

/** How much of the spelling's start stands at the end of the text; 0 if it stands there whole or not at all. */
function startOf(spelling: string, text: string): number {
  const last = text.slice(-MIN_KNOWN_LENGTH);
  if (last.length < MIN_KNOWN_LENGTH) return 0;
  const head = spelling.slice(0, Math.min(LONGEST_EDGE, spelling.length - 1));
  for (let at = head.lastIndexOf(last); at >= 0; at = at === 0 ? -1 : head.lastIndexOf(last, at - 1)) {
    const length = at + MIN_KNOWN_LENGTH;
    if (text.endsWith(head.slice(0, length))) return length;
  }
  return 0;
}

/** How much of the spelling's end stands at the start of the text. */
function endOf(spelling: string, text: string): number {
  const first = text.slice(0, MIN_KNOWN_LENGTH);
  if (first.length < MIN_KNOWN_LENGTH) return 0;
  const tail = spelling.slice(Math.max(1, spelling.length - LONGEST_EDGE));
  for (let at = tail.indexOf(first); at >= 0; at = tail.indexOf(first, at + 1)) {
    if (text.startsWith(tail.slice(at))) return tail.length - at;
  }
  return 0;
}

/** Spellings by their first four characters, behind a filter that nearly every place of a text fails at once. */
class Index {
  private readonly filter = new Uint8Array(65_536);
  private readonly byStart = new Map<string, Searched[]>();

  constructor(private readonly spelled: readonly Searched[]) {
    for (const spelling of spelled) {
      const start = spelling.text.slice(0, 4);
      this.filter[hash(start, 0)] = 1;
      const same = this.byStart.get(start);
      if (same === undefined) this.byStart.set(start, [spelling]);
      else same.push(spelling);
    }
  }

  /** The spelling of which `measure` finds most at the edge of a text. */
  longest(
    edge: string,
    measure: (spelling: string, edge: string) => number,
  ): { readonly length: number; readonly what: string } | null {
    let best: { length: number; what: string } | null = null;
    for (const { text, what } of this.spelled) {
      const length = measure(text, edge);
      if (length >= MIN_KNOWN_LENGTH && length > (best?.length ?? 0)) best = { length, what };
    }
    return best;
  }

  find(text: string): Found[] {
    const found: Found[] = [];
    for (let at = 0; at + 4 <= text.length; at++) {
      if (this.filter[hash(text, at)] === 0) continue;
      const spelling = this.byStart.get(text.slice(at, at + 4))?.find((one) => text.startsWith(one.text, at));
      if (spelling === undefined) continue;
      const end = at + spelling.text.length;
      found.push({
        start: at - beside(text, at - 1, spelling.before),
        end: end + beside(text, end, spelling.after),
        what: spelling.what,
      });
    }
    return found;
  }
}

function hash(text: string, at: number): number {
  return (
    (text.charCodeAt(at) ^
      (text.charCodeAt(at + 1) << 4) ^
      (text.charCodeAt(at + 2) << 8) ^
      (text.charCodeAt(at + 3) << 11)) &
    0xffff
  );
}

const beside = (text: string, at: number, count: number): number =>
  count > 0 && /^[A-Za-z0-9+/_-]$/.test(text[at] ?? '') ? count : 0;

/** A name comes from the environment, where anything may stand; a label is one line without the brackets. */
function label(name: string): string {
  return name.replace(/[^A-Za-z0-9_.' -]/g, '_').slice(0, 80);
}
