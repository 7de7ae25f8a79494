import { execFileSync } from 'node:child_process';
import { type FileHandle, lstat, mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Race } from './races';

/** What is there to be used, and put back: by descriptors, which no swap can bend. */
export class Scene {
  private real: FileHandle | null = null;

  constructor(
    private readonly race: Race,
    private readonly workspace: FileHandle,
  ) {}

  /** Makes what is swapped, before it is. */
  async set(real: string, trap: string): Promise<void> {
    if (this.race.around !== undefined) await mkdir(dirname(real));
    if (this.race.real === 'file') {
      await writeFile(real, 'inside\n');
    } else {
      if ((await lstat(real).catch(() => null)) === null) await mkdir(real);
      await this.real?.close();
      this.real = await open(real, 'r');
    }
    if (this.race.trap === 'pipe') execFileSync('mkfifo', [trap]);
    else await symlink(this.race.trap.link, trap);
    await this.restore(real, trap);
  }

  /** Puts back what a use has moved or deleted. */
  async restore(real: string, trap: string): Promise<void> {
    const workspace = `/proc/self/fd/${this.workspace.fd}`;
    await writeFile(`${workspace}/taken`, 'inside\n');
    const { around } = this.race;
    if (around !== undefined && (await lstat(`${workspace}/${around}`).catch(() => null)) === null) {
      return this.set(real, trap);
    }
    if (this.real === null) return;
    const folder = `/proc/self/fd/${this.real.fd}`;
    // Not with `recursive`: Node goes on for ever in a folder that was deleted.
    for (const name of ['deep', 'tree', 'tree/sub']) await mkdir(`${folder}/${name}`).catch(() => undefined);
    for (const name of [this.race.file, 'tree/file']) {
      await writeFile(`${folder}/${name}`, 'inside outside\n').catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    await this.workspace.close();
    await this.real?.close();
  }
}
