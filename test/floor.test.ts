import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * The oldest runtime is Electron 25: Node 18.15, V8 11.4, Chromium 114. What came later compiles, and passes tests on a
 * newer Node, and fails only there.
 */
const TOO_NEW: readonly RegExp[] = [
  /URL\.canParse/,
  /URL\.parse\(/,
  /AbortSignal\.any/,
  /Promise\.(withResolvers|try)\b/,
  /(Object|Map)\.groupBy/,
  /Array\.fromAsync/,
  /import\.meta\.(dirname|filename)/,
  /node:sqlite/,
  /\bfs\.glob|\bglob\b.*from 'node:fs/,
  /(?<!z|^\s*)\.(union|intersection|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(/,
  /\.(values|keys|entries)\(\)\s*\.(map|filter|take|drop|flatMap|reduce|toArray|forEach|some|every|find)\(/,
  /parseEnv|process\.loadEnvFile|util\.styleText/,
  /\.\.\.?(getOrInsert|getOrInsertComputed)\(/,
];

const ROOT = join(import.meta.dirname, '../src');

describe('the runtime floor', () => {
  it('is kept: nothing in src uses what the oldest runtime lacks', async () => {
    const names = (await readdir(ROOT, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
    const found: string[] = [];
    for (const name of names) {
      const lines = (await readFile(join(ROOT, name), 'utf8')).split('\n');
      for (const [index, line] of lines.entries()) {
        if (TOO_NEW.some((pattern) => pattern.test(line))) found.push(`${name}:${index + 1}: ${line.trim()}`);
      }
    }
    expect(found).toEqual([]);
  });
});
