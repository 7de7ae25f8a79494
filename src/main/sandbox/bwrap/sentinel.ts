import { type FSWatcher, watch } from 'node:fs';
import { lstat, readlink, rename, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { covers } from '../paths';
import { isEnvironmentVariant } from '../reach/protected';
import { environmentVariants } from '../reach/variants';
import { lookDown, standsAt } from './look-down';
import type { Protection } from './protected-paths';

/** What a refused file or folder is called afterwards, with a number where that is taken. */
const REFUSED = '.refused-by-sayso';

/**
 * Looks after protected paths that cannot be closed because nothing is there, or a link: what appears there is moved
 * aside, at once where it lies directly in the workspace, and for certain after the command's tree is gone.
 */
export class Sentinel {
  private readonly watcher: FSWatcher | null;
  private readonly moved = new Set<string>();
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly workspace: string,
    private readonly protection: Protection,
  ) {
    const names = new Set(
      protection.absent.filter((path) => dirname(path) === workspace).map((path) => basename(path)),
    );
    // The workspace itself cannot be renamed from within, so nothing else can stand in for it while we look.
    this.watcher = open(workspace);
    this.watcher?.on('change', (_, name) => {
      if (typeof name !== 'string') return;
      if (names.has(name) || this.isNewVariant(name)) this.inTurn(() => this.refuse(join(workspace, name)));
    });
    // Without a watch the look at the end is what is left.
    this.watcher?.on('error', () => this.watcher?.close());
  }

  /** The look at the end, when nothing of the command is alive. @returns what it was that had to be moved aside. */
  async end(): Promise<readonly string[]> {
    this.watcher?.close();
    await this.work;
    const { writable, absent } = this.protection;
    const [variants, seen] = await Promise.all([environmentVariants(this.workspace), lookDown(writable, absent)]);
    const there = absent.filter((path) => standsAt(writable, path, seen) !== null);
    const appeared = variants.filter((path) => this.isNewVariant(basename(path)));
    for (const path of [...there, ...appeared]) await this.refuse(path);
    for (const [path, target] of this.protection.links) await this.restore(path, target);
    return [...this.moved].map((path) => (covers(this.workspace, path) ? relative(this.workspace, path) : path));
  }

  /** Whether it is a variant of `.env` that was not there, and so could not be closed. */
  private isNewVariant(name: string): boolean {
    const path = join(this.workspace, name);
    return isEnvironmentVariant(name) && !this.protection.variants.has(path);
  }

  private inTurn(work: () => Promise<void>): void {
    this.work = this.work.then(work).catch(() => undefined);
  }

  /** What is there though the path was to be absent goes: that itself, or a link on the way to it. */
  private async refuse(path: string): Promise<void> {
    const { writable } = this.protection;
    const there = standsAt(writable, path, await lookDown(writable, [path]));
    if (there !== null) await this.moveAside(there.path);
  }

  private async restore(path: string, target: string): Promise<void> {
    if ((await readlink(path).catch(() => null)) === target) return;
    if ((await lstat(path).catch(() => null)) !== null) await this.moveAside(path);
    await symlink(target, path).catch(() => undefined);
    this.moved.add(path);
  }

  private async moveAside(path: string): Promise<void> {
    for (let count = 0; count < 1_000; count++) {
      const aside = `${path}${REFUSED}${count === 0 ? '' : `-${count}`}`;
      if ((await lstat(aside).catch(() => null)) !== null) continue;
      const done = await rename(path, aside).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      );
      if (!done) continue;
      this.moved.add(path);
      return;
    }
  }
}

function open(folder: string): FSWatcher | null {
  try {
    return watch(folder, { persistent: false });
  } catch {
    // No watches left on this machine.
    return null;
  }
}
