import { applyPatch, parsePatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIFF_LENGTH, DIFF_LINE_LENGTH, DIFF_LINES, fileDiff } from '../../../../src/main/tools/computer/file-diff';

const diff = (before: string | null, after: string) =>
  fileDiff(before === null ? null : Buffer.from(before), Buffer.from(after));

/** Applies a diff as any other tool would. */
function apply(before: string, text: string): string | false {
  return text === '' ? before : applyPatch(before, parsePatch(`--- a\n+++ b\n${text}\n`)[0] ?? '');
}

describe('the diff of a file', () => {
  it('turns the one text into the other', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', ' ', '-x', '+y', '\\ z', '@@', 'ü');
    const file = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([lines, end]) => {
      return lines.length === 0 ? '' : lines.join('\n') + (end ? '\n' : '');
    });
    fc.assert(
      fc.property(file, file, (before, after) => {
        expect(apply(before, diff(before, after).diff)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  it('turns the one text into the other, where almost everything differs, in little time', () => {
    const lines = (word: string) => Array.from({ length: 60_000 }, (_, i) => `${word}${i}`).join('\n');
    const [before, after] = [`same\n${lines('a')}\nend\n`, `same\n${lines('b')}\nend`];
    const began = performance.now();
    const { added, removed, diff: shown, omittedLines } = diff(before, after);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect([added, removed]).toEqual([60_001, 60_001]);
    expect(shown.split('\n')[0]).toBe('@@ -1,60002 +1,60002 @@');
    expect(shown.split('\n')).toHaveLength(DIFF_LINES);
    // One of the lines that are shown is the remark that more are removed.
    expect(omittedLines).toBe(1 + 1 + 2 * 60_001 - (DIFF_LINES - 1));
  });

  it('is right where it replaces a whole stretch', () => {
    const lines = (word: string) => Array.from({ length: 700 }, (_, i) => `${word}${i}\n`).join('');
    const before = `1\n2\n3\n4\n5\n${lines('a')}6\n7\n8\n9\n`;
    const after = `1\n2\n3\n4\n5\n${lines('b')}6\n7\n8\n9\n`;
    const { diff: shown, omittedLines } = diff(before, after);
    expect(omittedLines).toBe(0);
    expect(apply(before, shown)).toBe(after);
    expect(shown.startsWith('@@ -3,706 +3,706 @@\n 3\n 4\n 5\n-a0\n')).toBe(true);
  });

  it('is bounded in lines, in the length of a line and as a whole, and says what it leaves out', () => {
    const long = diff(null, `${'x'.repeat(10_000)}\n`).diff.split('\n')[1] ?? '';
    expect(long.length).toBeLessThan(DIFF_LINE_LENGTH + 60);
    expect(long).toContain('[... 8001 more characters in this line]');
    const wide = diff(null, `${'y'.repeat(1_900)}\n`.repeat(1_000));
    expect(wide.diff.length).toBeLessThan(DIFF_LENGTH);
    expect(wide.omittedLines).toBe(1_001 - wide.diff.split('\n').length);
    expect(wide.added).toBe(1_000);
  });

  it('says so where a side is not text', () => {
    const { diff: shown, added, removed } = fileDiff(Buffer.from([0, 1, 2]), Buffer.from('text\n'));
    expect(shown).toBe('\\ The file before is not text: 3 bytes\n@@ -0,0 +1,1 @@\n+text');
    expect([added, removed]).toEqual([1, 0]);
    expect(fileDiff(null, Buffer.from([0xff])).diff).toBe('\\ The file after is not text: 1 bytes');
  });

  it('tells a file without a last line end from one that has it', () => {
    expect(diff('a', 'a\n').diff).toBe('@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a');
  });

  it('is empty where nothing changes', () => {
    expect(diff('a\n', 'a\n')).toEqual({ added: 0, removed: 0, diff: '', omittedLines: 0 });
  });
});
