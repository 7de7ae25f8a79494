import type { DisplayToken } from '@shared/requests';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayToken } from '../../../../src/main/approvals/display/display-token';
import { knownNames, nameBehind } from '../../../../src/main/approvals/display/known-names';
import vectors from '../../../vectors/display-token.json';
import { forbiddenIn, hostileText } from './support';

const shown = (token: DisplayToken) => token.segments.map((segment) => segment.text).join('');
const show = (text: string) => shown(displayToken(text));
const warn = (text: string) => displayToken(text).warnings;

describe('the vectors', () => {
  it.each(vectors.cases)('shows $display', ({ input, display, warn: warnings }) => {
    const token = displayToken(input);
    expect(shown(token)).toBe(display);
    expect(token.warnings).toEqual(warnings);
  });
});

describe('what is escaped', () => {
  it.each([
    ['the brackets of an escape, so that none can be faked', '\u27e6LF\u27e7', '⟦U+27E6⟧LF⟦U+27E7⟧'],
    ['a tab', 'a\tb', 'a⟦TAB⟧b'],
    ['delete', '\u007f', '⟦DEL⟧'],
    ['a no-break space', 'a\u00a0b', 'a⟦U+00A0⟧b'],
    ['an ideographic space', '\u3000', '⟦U+3000⟧'],
    ['a soft hyphen', 'r\u00adm', 'r⟦U+00AD⟧m'],
    ['a variation selector', '\u2764\ufe0f', '\u2764⟦U+FE0F⟧'],
    ['a private character', '\ue0a0', '⟦U+E0A0⟧'],
    ['a noncharacter', '\uffff', '⟦U+FFFF⟧'],
    ['a lone surrogate', 'a\ud800', 'a⟦U+D800⟧'],
    ['a code point without a character', '\u0378', '⟦U+0378⟧'],
    ['a character that Unicode 15.0 did not know', '\u{1c89}\u{2ebf0}', '⟦U+1C89⟧⟦U+2EBF0⟧'],
    ['the replacement for an object', '\ufffc', '⟦U+FFFC⟧'],
    ['a mark that would stand on an escape', '\u200b\u0301x', '⟦U+200B⟧⟦U+0301⟧x'],
    ['a mark that would stand on a space', 'a \u0301', 'a ⟦U+0301⟧'],
    [
      'what a stack of marks has above the third',
      'a\u0301\u0302\u0303\u0304\u0305b',
      'a\u0301\u0302\u0303⟦U+0304⟧⟦U+0305⟧b',
    ],
    ['what a stack of one mark has above the third', `a${'\u0301'.repeat(9)}b`, `a${'\u0301'.repeat(3)}⟦6×U+0301⟧b`],
    ['an argument without characters', '', '⟦EMPTY⟧'],
  ])('%s', (_what, input, display) => expect(show(input)).toBe(display));

  it('counts three and more of one escape, and sixteen and more spaces', () => {
    expect(show('a\n\nb')).toBe('a⟦LF⟧⟦LF⟧b');
    expect(show('a\n\n\nb')).toBe('a⟦3×LF⟧b');
    expect(show(`a${' '.repeat(15)}b`)).toBe(`a${' '.repeat(15)}b`);
    expect(show(`a${' '.repeat(16)}b`)).toBe('a⟦16×SP⟧b');
  });

  it('leaves the letters and signs of the world alone', () => {
    for (const text of ['naïve', 'cafe\u0301', '日本語', 'ไทย้', 'हिन्दी', '😀', '€5', 'Ω≈ç', 'ಕನ್ನಡ']) {
      expect(displayToken(text).segments).toEqual([{ text, escape: false }]);
    }
  });

  it('says of each segment whether it is an escape', () => {
    expect(displayToken('a\u0000b').segments).toEqual([
      { text: 'a', escape: false },
      { text: '⟦NUL⟧', escape: true },
      { text: 'b', escape: false },
    ]);
  });
});

describe('lookalike names', () => {
  it.each([
    ['a path', '/usr/bin/\u0441url', 'lookalike:curl'],
    ['a name behind a pipe', 'cat x|\u0455h', 'lookalike:sh'],
    ['a name in one other script only', '\u0455\u0455\u04bb', 'lookalike:ssh'],
    ['long dashes', '\u2014\u2014force=yes', 'lookalike:--force'],
    ['a mathematical alphabet', '\u{1d42b}\u{1d426} x', 'lookalike:rrn'],
    ['an escaped line end before the name', 'ls\n\uff52\uff4d', 'lookalike:rrn'],
  ])('are found in %s', (_where, text, warning) => expect(warn(text)).toContain(warning));

  it('are found among an application’s own names', () => {
    const known = knownNames(['parcel', '--tenant']);
    expect(displayToken('p\u0430rcel', known).warnings).toEqual(['mixed-script', 'lookalike:parcel']);
    expect(displayToken('\u2010\u2010tenant', known).warnings).toEqual(['lookalike:--tenant']);
    expect(warn('\u2010\u2010tenant')).toEqual([]);
  });

  it('never are ASCII', () => expect(warn('sleep 1s; cur1')).toEqual([]));

  it('lead back to the name', () => {
    expect(nameBehind('lookalike:rrn')).toBe('rm');
    expect(nameBehind('hidden')).toBeNull();
  });
});

describe('mixed scripts', () => {
  it.each(['p\u0430ypal', '\u03b1\u0431', 'x\u05d0'])('are warned of in %s', (text) =>
    expect(warn(text)).toContain('mixed-script'),
  );

  it.each(['ファイルname', '한국어ABC', 'привет-world', 'αβγ_1', 'ⲁⲃⲅ', 'x²', 'Ⅳ', '\u{10330}\u{10331}'])(
    'are not found in %s',
    (text) => expect(warn(text)).not.toContain('mixed-script'),
  );
});

describe('any text whatever', () => {
  it('renders without an invisible or reordering character', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(forbiddenIn(show(text))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('can be read back from what is shown, so that different texts never look the same', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(readBack(show(text))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('has segments, none empty, and warns exactly when one of them is an escape', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const { segments, warnings } = displayToken(text);
        expect(segments.length).toBeGreaterThan(0);
        expect(segments.every((segment) => segment.text !== '')).toBe(true);
        expect(warnings.includes('hidden')).toBe(text !== '' && segments.some((segment) => segment.escape));
        expect(new Set(warnings).size).toBe(warnings.length);
      }),
      { numRuns: 1000 },
    );
  });

  it('escapes each single code point that must not be shown', () => {
    const wrong: number[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const text = show(String.fromCodePoint(code));
      if (text === '' || forbiddenIn(text).length > 0) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });

  it('is shown in time that grows no faster than its length', () => {
    const nasty = `${'1'.repeat(50_000)}\u{10330}\u0430 ${'\u0301'.repeat(50_000)}${'\u0441\u0301'.repeat(50_000)}${'\u202e \u27e6'.repeat(50_000)}`;
    const start = performance.now();
    displayToken(nasty);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

const NAMES: Readonly<Record<string, number>> = { SP: 32, TAB: 9, LF: 10, CR: 13, NUL: 0, BEL: 7, ESC: 27, DEL: 127 };
const C0 = 'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC';

/** The inverse of the display. */
function readBack(display: string): string {
  return display.replace(/⟦(?:(\d+)×)?([^⟧]*)⟧/gu, (_escape, count: string | undefined, name: string) => {
    if (name === 'EMPTY') return '';
    const named = NAMES[name] ?? [...C0.split(' '), 'FS', 'GS', 'RS', 'US'].indexOf(name);
    const code = name.startsWith('U+') ? Number.parseInt(name.slice(2), 16) : named;
    return String.fromCodePoint(code).repeat(Number(count ?? 1));
  });
}
