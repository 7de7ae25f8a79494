import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

export interface Folder {
  readonly path: string;
  /** Writes a file and gives its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
}

/** A new folder for each test of a file, gone after it. */
export function folderForEachTest(): Folder {
  let path = '';
  beforeEach(async () => {
    path = await realpath(await mkdtemp(join(tmpdir(), 'sayso-agents-')));
  });
  afterEach(async () => {
    await rm(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
    async write(name, content) {
      const file = join(path, name);
      await writeFile(file, content);
      return file;
    },
  };
}
