import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileWhole } from '../../../src/main/sessions/transfer/write-file';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sayso-whole-'));
  file = join(folder, 'session.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

async function* texts(...all: readonly (string | Promise<string>)[]): AsyncGenerator<string> {
  for (const text of all) yield await text;
}

async function* broken(): AsyncGenerator<string> {
  yield 'half';
  throw new Error('no more');
}

describe('a file that is written whole', () => {
  it('is not written by two at once: the second is told, and the first comes to its end', async () => {
    let goOn: (text: string) => void = () => undefined;
    const rest = new Promise<string>((resolve) => {
      goOn = resolve;
    });
    const first = writeFileWhole(file, texts('one ', rest));
    await expect(writeFileWhole(file, texts('other'))).rejects.toThrow('is being written already');
    goOn('two');
    await first;
    expect(await readFile(file, 'utf8')).toBe('one two');
    await writeFileWhole(file, texts('other'));
    expect(await readFile(file, 'utf8')).toBe('other');
    expect(await readdir(folder)).toEqual(['session.jsonl']);
  });

  it('leaves what was there where it fails, and can be written again', async () => {
    await writeFile(file, 'before');
    await expect(writeFileWhole(file, broken())).rejects.toThrow('no more');
    expect(await readFile(file, 'utf8')).toBe('before');
    expect(await readdir(folder)).toEqual(['session.jsonl']);
    await writeFileWhole(file, texts('after'));
    expect(await readFile(file, 'utf8')).toBe('after');
  });
});
