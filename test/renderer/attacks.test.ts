import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { fold, NOTHING_FOLDED } from '../../src/renderer/timeline/fold';
import { readResult } from '../../src/renderer/timeline/result';
import { Diff } from '../../src/renderer/ui/Diff';
import { exact, visible } from '../../src/renderer/ui/text';
import * as body from './harness/bodies';
import { Journal } from './harness/world';

describe('text that would hide something', () => {
  const invisible = [
    0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x2800, 0x3164, 0xffa0, 0xfff9, 0x1bca0,
  ].concat([0x1d159, 0x1d173, 0xfe00, 0xe0001, 0xe0100, 0xe01ef, 0xfffc]);

  test.each(invisible)('U+%x is spelled out', (code) => {
    const name = `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
    expect(visible(`a${String.fromCodePoint(code)}b`)).toBe(`a${name}b`);
    expect(exact(`a${String.fromCodePoint(code)}b`)).toBe(`a${name}b`);
  });

  test('keeps joiners and emoji in prose, and spells them out where it is decided about', () => {
    expect(visible('👩\u200d💻 ❤\ufe0f')).toBe('👩\u200d💻 ❤\ufe0f');
    expect(exact('a\u200db\ufe0fc\u00a0d\u3000e\ue000')).toBe('a⟦U+200D⟧b⟦U+FE0F⟧c⟦U+00A0⟧d⟦U+3000⟧e⟦U+E000⟧');
  });

  test('cannot fake an escape, nor push its end out of sight', () => {
    expect(exact('⟦U+0041⟧')).not.toBe('⟦U+0041⟧');
    expect(exact(`+ok();${' '.repeat(300)}evil();`)).toBe('+ok();⟦300×SP⟧evil();');
    expect(exact(`${' '.repeat(40)}indented\n\ttoo`)).toBe(`${' '.repeat(40)}indented\n\ttoo`);
  });

  test('is spelled out in a diff that waits for a decision', () => {
    const diff = '@@ -1,1 +1,1 @@\n-const { a } = b;\n+const { a,\u3164 } = b;\r\n+x\u{e0100}';
    const html = renderToStaticMarkup(createElement(Diff, { diff, omittedLines: 0 }));
    expect(html).toContain('a,⟦U+3164⟧ } = b;⟦U+000D⟧');
    expect(html).toContain('x⟦U+E0100⟧');
  });
});

describe('what a timeline shows', () => {
  test('is a command’s output only where a process ran', () => {
    const content = '{"command":["make"],"exit_code":0,"output":"","truncated":false,"secret":"the rest of the file"}';
    const rows = { kind: 'arguments', rows: [] } as const;
    expect(readResult(content, { ...rows, rows: [] })).toMatchObject({
      is: 'text',
      text: expect.stringContaining('the rest of the file'),
    });
  });

  test('has every call, also when the model gives two of them one id', () => {
    const journal = new Journal(1, 1_800_000_000_000);
    for (const turn of [1, 2]) {
      journal.add(body.said(turn, body.use('call_1', 'list_dir', { path: String(turn) })));
      journal.add(body.calls(turn, 'call_1', 'list_dir', { path: String(turn) }));
      journal.add(body.result(turn, 'call_1', 'list_dir', `result ${turn}`, 5));
    }
    const calls = fold(NOTHING_FOLDED, journal.events).entries.filter((entry) => entry.kind === 'call');
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
    expect(calls.map((entry) => entry.kind === 'call' && entry.result?.content)).toEqual(['result 1', 'result 2']);
  });
});
