import fc from 'fast-check';

/**
 * Whatever must not stand in a text for the operator: a definition of its own, from the runtime's Unicode tables, so
 * that the code under test is not measured with itself.
 */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
const ODD_SPACE = /(?! )\p{Zs}/u;

export function forbiddenIn(text: string): string[] {
  return [...text].filter((character) => FORBIDDEN.test(character) || ODD_SPACE.test(character));
}

const escapeChar = fc.constantFrom(
  ...[0, 7, 9, 10, 13, 0x1b, 0x20, 0x7f, 0x85, 0x90, 0x9b, 0x9c, 0x9d, 0xa0, 0xad, 0x34f, 0x61c, 0x3000, 0x3164].map(
    (code) => String.fromCharCode(code),
  ),
  ...['\u200b', '\u200d', '\u200e', '\u202e', '\u2066', '\u2028', '\u2800', '\ufe0f', '\ufeff', '\ufffc', '\ue000'],
  ...['\u{e0072}', '\u{e0100}', '\u{1d159}', '\ud800', '\udfff', '\u0378', '\u{10ffff}', '\u27e6', '\u27e7'],
  ...['\u0301', '\u0338', '\u20dd', '\u05d0', '\u0627', '\u0441', '\uff52', '[', ']', '\\', ';', 'm', '\u00d7', '5'],
);

/** Any sequence of UTF-16 units, lone surrogates included. */
const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

const anyCodePoints = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }))
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(''));

const runsOfOne = fc.tuple(escapeChar, fc.integer({ min: 1, max: 40 })).map(([char, count]) => char.repeat(count));

/** Texts that are likely to break a display: everything, and much of what is nasty. */
export const hostileText = fc.oneof(
  anyUnits,
  anyCodePoints,
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(escapeChar, runsOfOne, fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
);
