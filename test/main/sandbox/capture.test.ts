import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTPUT_EDGE, OUTPUT_LIMIT, OutputCapture } from '../../../src/main/sandbox/capture';

function capture(bytes: Uint8Array, cuts: readonly number[] = []) {
  const kept = new OutputCapture();
  const points = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  points.slice(1).forEach((end, index) => {
    kept.push(Buffer.from(bytes.subarray(points[index], end)));
  });
  return kept.result();
}

const filler = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, i) => 0x61 + (i % 26)));
const MARKER = /\n\[\.\.\. (\d+) bytes missing \.\.\.\]\n/;

/** The two ends and the number between them. */
function parts(text: string): { first: string; missing: number; last: string } {
  const [first = '', missing = '', last = ''] = text.split(MARKER);
  return { first, missing: Number(missing), last };
}

describe('captured output', () => {
  it.each([0, 1, OUTPUT_EDGE, OUTPUT_LIMIT - 1, OUTPUT_LIMIT])('is kept verbatim: %d bytes', (length) => {
    const bytes = filler(length);
    expect(capture(bytes)).toEqual({ text: bytes.toString(), truncated: false });
  });

  it.each([OUTPUT_LIMIT + 1, 65_537, 98_304, 98_305, 200_000])('keeps both ends of %d bytes', (length) => {
    const bytes = filler(length);
    const { text, truncated } = capture(bytes);
    expect(truncated).toBe(true);
    expect(parts(text)).toEqual({
      first: bytes.subarray(0, 32_768).toString(),
      missing: length - 65_536,
      last: bytes.subarray(length - 32_768).toString(),
    });
  });

  it('does not depend on how the output was cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3 * OUTPUT_LIMIT }),
        fc.array(fc.nat(3 * OUTPUT_LIMIT), { maxLength: 12 }),
        (length, cuts) => {
          const bytes = filler(length);
          expect(
            capture(
              bytes,
              cuts.filter((cut) => cut < length),
            ),
          ).toEqual(capture(bytes));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('never cuts inside a character, at neither cut, and accounts for every byte', () => {
    for (const char of ['ü', '€', '😀']) {
      for (let shift = 0; shift < 5; shift++) {
        for (const count of [70_000, 65_537, 65_540]) {
          const whole = Buffer.from('a'.repeat(shift) + char.repeat(count / Buffer.byteLength(char)));
          const { text } = capture(whole);
          if (whole.length <= OUTPUT_LIMIT) continue;
          const { first, missing, last } = parts(text);
          expect(text).not.toContain('\ufffd');
          expect(Buffer.byteLength(first) + missing + Buffer.byteLength(last)).toBe(whole.length);
          expect(whole.toString().startsWith(first) && whole.toString().endsWith(last)).toBe(true);
          expect(Buffer.byteLength(first)).toBeGreaterThan(OUTPUT_EDGE - 4);
          expect(Buffer.byteLength(last)).toBeGreaterThan(OUTPUT_EDGE - 4);
        }
      }
    }
  });

  it('drops a character that spans both cuts from both ends', () => {
    const bytes = Buffer.concat([filler(32_766), Buffer.from('😀'), filler(32_767)]);
    expect(bytes.length).toBe(65_537);
    const { first, missing, last } = parts(capture(bytes).text);
    expect([first.length, missing, last.length]).toEqual([32_766, 4, 32_767]);
  });

  it('replaces what is not UTF-8, always in the same way', () => {
    const bytes = Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82, 0x62, 0xed, 0xa0, 0x80]);
    expect(capture(bytes, [3, 5]).text).toBe('a\ufffd\ufffd(\ufffdb\ufffd\ufffd\ufffd');
    expect(capture(bytes)).toEqual(capture(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9]));
  });

  it('keeps NUL, control characters and a byte order mark', () => {
    expect(capture(Buffer.from('\ufeffa\0\x1b[31m\r\n')).text).toBe('\ufeffa\0\x1b[31m\r\n');
  });

  it('stays bounded for bytes that are all continuations', () => {
    const { text } = capture(Buffer.alloc(100_000, 0x80));
    const { first, missing, last } = parts(text);
    expect(first.length + missing + last.length).toBe(100_000);
  });
});
