import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileRules } from '../../../../src/main/tools/computer/file-rules';
import { matchesGlob } from '../../../../src/main/tools/computer/glob';
import { LineMatcher } from '../../../../src/main/tools/computer/line-matcher';
import { resolvePath } from '../../../../src/main/tools/computer/resolve-path';
import { search } from '../../../../src/main/tools/computer/search';
import { call, contextOf, quietIo, tempFolder } from './helpers';

let workspace = '';
const run = async (input: unknown) => (await call(contextOf(workspace), 'search_files', input)).content;

beforeEach(async () => {
  workspace = await tempFolder();
  for (const folder of ['src/deep', '.git']) await mkdir(join(workspace, folder), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'a.ts': 'first needle\nsecond\r\nthird Needle\n',
    'b.md': 'needle in prose',
    'src/c.ts': 'no match\nneedle',
    'src/deep/d.ts': 'needle',
    '.git/config': 'needle',
    binary: Buffer.from('needle\0needle'),
    large: 'needle '.repeat(700_000),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(workspace, name), content);
  await symlink('a.ts', join(workspace, 'link.ts'));
  await symlink('/etc', join(workspace, 'etc'));
});

describe('search_files', () => {
  it('gives path, line and text, in a fixed order, and says what it did not search', async () => {
    expect((await run({ pattern: 'needle' })).split('\n')).toEqual([
      'a.ts:1: first needle',
      'b.md:1: needle in prose',
      'src/c.ts:2: needle',
      'src/deep/d.ts:1: needle',
      '[Not searched: large is too large: 4900000 bytes, at most 4194304 can be read]',
    ]);
  });

  it('can ignore case, and matches line by line without line ends', async () => {
    expect(await run({ pattern: '^(second|third NEEDLE)$', ignoreCase: true, path: 'a.ts' })).toBe(
      'a.ts:2: second\na.ts:3: third Needle',
    );
  });

  it.each([
    ['*.md', ['b.md']],
    ['*.ts', ['a.ts', 'src/c.ts', 'src/deep/d.ts']],
    ['src/*.ts', ['src/c.ts']],
    ['**/*.ts', ['a.ts', 'src/c.ts', 'src/deep/d.ts']],
    ['src/**', ['src/c.ts', 'src/deep/d.ts']],
    ['?.md', ['b.md']],
  ])('keeps to the glob %s', async (glob, expected) => {
    const lines = (await run({ pattern: 'needle', glob })).split('\n');
    expect([...new Set(lines.map((line) => line.split(':')[0]))]).toEqual(expected);
  });

  it('stops at its limit and says so', async () => {
    const lines = (await run({ pattern: 'needle', maxResults: 2 })).split('\n');
    expect(lines.slice(0, 2)).toEqual(['a.ts:1: first needle', 'b.md:1: needle in prose']);
    expect(lines[2]).toContain('cut at 2 results');
  });

  it('cuts a long line around its match', async () => {
    await writeFile(join(workspace, 'long'), `${'x'.repeat(5_000)}HERE${'y'.repeat(5_000)}`);
    const found = await run({ pattern: 'HERE', path: 'long' });
    expect(found).toMatch(/^long:1: \[\.\.\.\] x+HEREy+ \[\.\.\.\]$/);
    expect(found.length).toBeLessThan(500);
  });

  it('says so where nothing matches, and refuses a wrong pattern before anyone is asked', async () => {
    expect(await run({ pattern: 'nothing like it', path: 'src' })).toBe('[Nothing matches.]');
    await expect(run({ pattern: '(' })).rejects.toThrow('The pattern is wrong');
    await expect(run({ pattern: 'x', path: 'missing' })).rejects.toThrow('no such file');
  });
});

describe('a pattern that takes for ever', () => {
  const EVIL = { source: '^(a+)+$', text: `${'a'.repeat(50_000)}!` };

  it('is ended after its time, and the app goes on meanwhile', async () => {
    await writeFile(join(workspace, 'b.evil'), EVIL.text);
    const rules = await fileRules(contextOf(workspace));
    const root = await resolvePath(rules, 'b.evil', 'read', 'keep');
    const matcher = new LineMatcher(EVIL.source, '');
    let turns = 0;
    const turning = setInterval(() => turns++, 5);
    const options = { rules, glob: null, limit: 10, signal: new AbortController().signal, timeMs: 300 };
    const answer = await search(root, matcher, options);
    clearInterval(turning);
    expect(answer).toContain('[Stopped for time in b.evil');
    expect(turns).toBeGreaterThan(10);
  });

  it('is ended by a stop', async () => {
    await writeFile(join(workspace, 'b.evil'), EVIL.text);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const io = quietIo({ signal: stop.signal });
    await expect(
      call(contextOf(workspace), 'search_files', { pattern: EVIL.source, glob: '*.evil' }, io),
    ).rejects.toThrow('abort');
  });
});

describe('a glob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['/*.ts', 'src/a.ts', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/a.ts', 'a.ts', true],
    ['**/b/**', 'a/b/c/d', true],
    ['**/b/**', 'a/bb/c', false],
    ['?.ts', 'ä.ts', true],
    ['?.ts', '😀.ts', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'ac', false],
    ['[a].ts', 'a.ts', false],
    ['a.ts', 'a+ts', false],
  ])('%s and %s: %s', (glob, path, expected) => {
    expect(matchesGlob(glob, path)).toBe(expected);
  });

  it('takes no longer for a pattern that is made to', () => {
    const began = performance.now();
    expect(matchesGlob('*a'.repeat(100), `${'a'.repeat(250)}b`)).toBe(false);
    expect(matchesGlob(`${'**/'.repeat(60)}c`, `${'a/'.repeat(1_000)}b`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
