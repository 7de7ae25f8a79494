import { CUT_WORD, cutSecrets, shortenedNames, shortenedValues } from './cuts';
import { type KnownSecret, KnownValues } from './known-values';
import { libraryRules, libraryShapes } from './library-shapes';
import { moreLabels, moreShapes } from './more-shapes';
import { type Found, merged, placeholder, placeholders, without } from './placeholder';
import { PRIVATE_KEY, privateKeys } from './private-keys';
import { plainly, withoutColours } from './rewritten';

export type { KnownSecret } from './known-values';

export interface Removed {
  /** What it was, in words; never the secret. */
  readonly what: string;
  /** In UTF-16 code units. */
  readonly length: number;
}

export interface Redaction {
  readonly text: string;
  readonly removed: readonly Removed[];
}

export interface Redactor {
  /**
   * The text with a placeholder for every secret in it. What was redacted stays as it is when it is redacted again.
   * Also takes text inside JSON, and looks at both sides of what marks that something was cut out or short.
   */
  redact(text: string): Redaction;
  /** Where secrets stand, in order and without overlaps. */
  find(text: string): Found[];
  readonly known: KnownValues;
}

/**
 * A secret that stood glued to another is only seen when that one is gone. Nothing real needs a third round; a text made
 * to need more of them is not worth the time.
 */
const MAX_ROUNDS = 4;

export interface RedactorOptions {
  readonly known: readonly KnownSecret[];
  /** `shortened`: titles and questions, which Sayso cuts short. A word that could be half a token goes there, too. */
  readonly names?: 'whole' | 'shortened';
}

/** Removes the known values and everything that has the shape of a credential. Pure, and linear in the text. */
export function createRedactor({ known, names = 'whole' }: RedactorOptions): Redactor {
  const values = new KnownValues(known);
  const vocabulary = new Set([...values.labels, ...libraryRules.values(), ...moreLabels, PRIVATE_KEY, CUT_WORD]);

  const find = (text: string): Found[] => {
    const plain = plainly(text);
    const found = merged([
      ...values.find(text),
      ...shapes(plain),
      ...shapesAcrossColours(text),
      ...cutSecrets(text, plain, values),
      ...shortenedValues(text, values),
      ...(names === 'shortened' ? shortenedNames(text, values) : []),
    ]);
    return found.length === 0 ? found : without(text, found, placeholders(text, vocabulary));
  };

  return {
    known: values,
    find,
    redact(text) {
      const removed: Removed[] = [];
      let rest = text;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const found = find(rest);
        if (found.length === 0) break;
        removed.push(...found.map(({ start, end, what }) => ({ what, length: end - start })));
        rest = replaced(rest, found);
      }
      return { text: rest, removed };
    },
  };
}

/** The text with a placeholder for each of `found`, which are in order and do not overlap. */
export function replaced(text: string, found: readonly Found[]): string {
  let result = '';
  let read = 0;
  for (const { start, end, what } of found) {
    result += text.slice(read, start) + placeholder(what, end - start);
    read = end;
  }
  return result + text.slice(read);
}

function shapes(plain: string): Found[] {
  return [...privateKeys(plain), ...libraryShapes(plain), ...moreShapes(plain)];
}

function shapesAcrossColours(text: string): Found[] {
  const colourless = withoutColours(text);
  if (colourless === null) return [];
  return shapes(plainly(colourless.text)).map(({ start, end, what }) => ({ ...colourless.range(start, end), what }));
}
