import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const Paths = z.array(z.string().min(1).max(4_096)).max(500);

/** A list of files that the operator opened, kept as JSON for the next start. One that cannot be read counts as empty. */
export class PathList {
  constructor(private readonly file: string) {}

  async load(): Promise<readonly string[]> {
    try {
      return Paths.parse(JSON.parse(await readFile(this.file, 'utf8')));
    } catch {
      return [];
    }
  }

  async save(paths: readonly string[]): Promise<void> {
    const part = `${this.file}.${randomUUID()}`;
    await writeFile(part, `${JSON.stringify(paths, null, 2)}\n`, { mode: 0o600 });
    await rename(part, this.file);
  }
}
