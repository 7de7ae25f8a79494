import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayProse } from '../../../../src/main/approvals/display/display-prose';
import { forbiddenIn, hostileText } from './support';

const ESC = '\u001b';

describe('terminal sequences in prose', () => {
  it.each([
    ['colours', `${ESC}[1;31mDelete${ESC}[0m it?`, 'Delete it?'],
    ['cursor movement', `yes${ESC}[2K${ESC}[1Gno`, 'yesno'],
    ['a title, ended by BEL', `${ESC}]0;title\u0007Go on?`, 'Go on?'],
    ['a link, ended by ST', `${ESC}]8;;http://e${ESC}\\docs${ESC}]8;;${ESC}\\`, 'docs'],
    ['a device control string', `${ESC}P$q"p${ESC}\\x`, 'x'],
    ['application, privacy and start-of-string', `${ESC}_a${ESC}\\b${ESC}^c${ESC}\\d${ESC}Xe${ESC}\\f`, 'bdf'],
    ['eight-bit CSI', '\u009b31mred\u009b0m', 'red'],
    ['eight-bit OSC and ST', '\u009d0;t\u009cx', 'x'],
    ['two-character escapes', `a${ESC}7b${ESC}cc${ESC}(Bd`, 'abcd'],
    ['a CSI that never ends', `a${ESC}[12`, 'a'],
    ['an escape at the very end', `a${ESC}`, 'a'],
    ['a CSI that a line end breaks off', `a${ESC}[12\nb`, 'a\nb'],
  ])('%s are removed', (_what, text, shown) => expect(displayProse(text)).toBe(shown));

  it('of which one never ends cannot hide the text behind it', () => {
    expect(displayProse(`Sure?${ESC}]0; it drops the table`)).toBe('Sure?0; it drops the table');
    expect(displayProse('Sure?\u009d it drops\u0001the table\u0007')).toBe('Sure? it drops⟦SOH⟧the table⟦BEL⟧');
  });

  it('that appear only once another is removed are not obeyed either', () => {
    expect(displayProse(`${ESC}${ESC}[0m[31mx`)).toBe('[31mx');
    expect(forbiddenIn(displayProse(`${ESC}[${ESC}[0m31mx`))).toEqual([]);
  });
});

describe('what prose shows instead of what is invisible', () => {
  it.each([
    ['a bidi override', 'send \u202etxt.exe', 'send ⟦U+202E⟧txt.exe'],
    ['a zero-width space', 'a\u200bb', 'a⟦U+200B⟧b'],
    ['a fake escape', '\u27e6LF\u27e7', '⟦U+27E6⟧LF⟦U+27E7⟧'],
    ['a long gap', `no${' '.repeat(300)}yes`, 'no⟦300×SP⟧yes'],
    ['a tab', 'a\tb', 'a⟦TAB⟧b'],
  ])('%s', (_what, text, shown) => expect(displayProse(text)).toBe(shown));

  it('keeps lines and one empty line between them', () => {
    expect(displayProse('a\nb\n\nc')).toBe('a\nb\n\nc');
    expect(displayProse('a\r\nb\r\n\r\nc')).toBe('a\nb\n\nc');
    expect(displayProse('a\rb')).toBe('a⟦CR⟧b');
    expect(displayProse(`a${'\n'.repeat(80)}b`)).toBe('a⟦80×LF⟧b');
  });
});

describe('the cut', () => {
  it('leaves a text of exactly the limit whole', () => {
    expect(displayProse('a'.repeat(500))).toBe('a'.repeat(500));
    expect(displayProse('a'.repeat(501))).toBe(`${'a'.repeat(499)}…`);
  });

  it('never stands within an escape', () => {
    expect(displayProse(`${'a'.repeat(497)}\u202eb`)).toBe(`${'a'.repeat(497)}…`);
    expect(displayProse(`abc\u202e`, 11)).toBe('abc⟦U+202E⟧');
    expect(displayProse(`abc\u202e`, 10)).toBe('abc…');
  });

  it('counts characters, not UTF-16 units, and parts no letter from its marks', () => {
    expect(displayProse('😀'.repeat(500))).toBe('😀'.repeat(500));
    expect(displayProse('abe\u0301\u0301', 4)).toBe('ab…');
  });
});

describe('any text whatever', () => {
  it('holds nothing invisible, reordering or controlling but line feeds, and no more than the limit', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 60 }), (text, max) => {
        const shown = displayProse(text, max);
        expect(forbiddenIn(shown.replaceAll('\n', ''))).toEqual([]);
        expect([...shown].length).toBeLessThanOrEqual(max);
      }),
      { numRuns: 2000 },
    );
  });

  it('is never left with half an escape', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 60 }), (text, max) => {
        expect(displayProse(text, max).replaceAll(/⟦[^⟦⟧]+⟧/g, '')).not.toMatch(/[⟦⟧]/);
      }),
      { numRuns: 2000 },
    );
  });

  it('is shown in time that grows no faster than its length', () => {
    const nasty = `${'\u009d'.repeat(100_000)}${`${ESC}]`.repeat(100_000)}${`${ESC}[1;`.repeat(100_000)}`;
    const start = performance.now();
    displayProse(nasty);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
