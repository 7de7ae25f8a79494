import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../../src/main/tools/redaction/redactor';
import { StreamRedactor } from '../../../../src/main/tools/redaction/stream-redactor';
import { privateKey, random, SHAPES } from './secrets';

const value = random('streamed', 40);
const redactor = createRedactor({ known: [{ name: 'value of MY_TOKEN', value }] });

function streamed(pieces: readonly string[], ending: 'whole' | 'cut' = 'whole', using = redactor): string {
  const stream = new StreamRedactor(using);
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end(ending);
}

/** The text in pieces of one size. */
const pieces = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [];

describe('output that arrives in pieces', () => {
  it('goes on line by line as it comes', () => {
    const stream = new StreamRedactor(redactor);
    expect(stream.push('one\ntwo\nthr')).toBe('one\ntwo\n');
    expect(stream.push('ee\n')).toBe('three\n');
    expect(stream.push('50 %\r60 %\r')).toBe('50 %\r60 %\r');
    expect(stream.push('rest')).toBe('');
    expect(stream.end()).toBe('rest');
  });

  it('is the same in the end, where there is no secret', () => {
    const words = fc.array(
      fc.constantFrom('a', 'word ', '\n', '\r\n', 'sha512-', '=', '{"a": 1}', '\x1b[0m', 'x'.repeat(3_000)),
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 5_000 }), (all, size) => {
        expect(streamed(pieces(all.join(''), size))).toBe(all.join(''));
      }),
    );
  });

  it('has no credential, at whatever place it was split', () => {
    for (const [, secret] of SHAPES) {
      const text = `first\nA=${secret}\nlast\n`;
      for (let at = 1; at < text.length; at++) {
        expect(streamed([text.slice(0, at), text.slice(at)])).toBe(redactor.redact(text).text);
      }
    }
  });

  it.each([1, 7, 64, 65, 500])('has no private key, in pieces of %i', (size) => {
    const { armour } = privateKey();
    const text = `before\n${armour}\nafter\n`;
    expect(streamed(pieces(text, size))).toBe(`before\n⟦removed: private key, ${armour.length} characters⟧\nafter\n`);
    expect(streamed(pieces(armour.slice(100), size))).toMatch(/^⟦removed: private key, \d+ characters⟧$/);
    expect(streamed(pieces(armour.slice(0, 600), size))).toMatch(/^⟦removed: private key, \d+ characters⟧$/);
  });

  it('has no known value, whatever it is, wherever it stands and however it was split', () => {
    const secret = fc.oneof(
      fc.string({ minLength: 4, maxLength: 60 }),
      fc.string({ unit: 'binary', minLength: 4, maxLength: 40 }),
    );
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('\n', '\r', ' ', '-----BEGIN PRIVATE KEY-----\n', 'x'.repeat(5_000), 'long line '.repeat(900)),
    );
    fc.assert(
      fc.property(
        secret,
        fc.array(part),
        fc.array(part),
        fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1 }),
        (known, before, after, sizes) => {
          fc.pre(!'⟦removed: , 0123456789 characters⟧'.includes(known));
          let rest = before.join('') + known + after.join('');
          fc.pre(!rest.includes('⟦'));
          const split: string[] = [];
          for (let at = 0; rest !== ''; at++) {
            const size = sizes[at % sizes.length] ?? 1;
            split.push(rest.slice(0, size));
            rest = rest.slice(size);
          }
          const one = createRedactor({ known: [{ name: 'k', value: known }] });
          const text = streamed(split, 'whole', one);
          expect(text.replaceAll(/⟦removed: [^⟧]*⟧/g, '⟦⟧')).not.toContain(known);
          expect(text).toContain('⟦removed: ');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('has no known value that a line end or a long line splits', () => {
    for (let at = 1; at < value.length; at++) {
      const wrapped = `x ${value.slice(0, at)}\n${value.slice(at)} y\n`;
      for (const size of [1, 2, at + 3, 1_000]) {
        const text = streamed(pieces(wrapped, size));
        expect(text).toContain('⟦removed: value of MY_TOKEN');
        expect(text.replaceAll(/⟦removed: [^⟧]*⟧/g, '').length).toBeLessThan(10);
      }
    }
    for (const length of [4_000, 4_090, 9_000]) {
      expect(streamed(pieces(`${'z'.repeat(length)}${value}${'z'.repeat(length)}`, 100))).not.toContain(
        value.slice(8, 24),
      );
    }
  });

  it('holds back a bounded amount, whatever comes', () => {
    const { armour } = privateKey();
    for (const text of [
      'x'.repeat(400),
      armour.slice(0, 400),
      `${random('body', 64)}\n`,
      '-----BEGIN PRIVATE KEY-----\n',
      value.slice(0, 8),
    ]) {
      const stream = new StreamRedactor(redactor);
      let came = 0;
      let went = 0;
      for (let time = 0; time < 600; time++) {
        came += text.length;
        went += stream.push(text).length > 0 ? came - went : 0;
        expect(came - went).toBeLessThan(24_000);
      }
    }
  });

  it('does not end in half a secret where the output was cut', () => {
    for (const [, secret] of SHAPES) {
      expect(streamed([`a\nb ${secret.slice(0, -4)}`], 'cut')).not.toContain(secret.slice(4, 20));
    }
    expect(streamed([`a\nb ${value.slice(0, 9)}`], 'cut')).toBe('a\nb ⟦removed: value of MY_TOKEN, 9 characters⟧');
    expect(streamed([`a\nb c`], 'cut')).toBe('a\nb c');
  });
});
