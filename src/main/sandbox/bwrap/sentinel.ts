import { randomInt } from 'node:crypto';
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { chmod, lstat, readlink, rename, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { covers } from '../paths';
import { isEnvironmentVariant } from '../reach/protected';
import { environmentVariants } from '../reach/variants';
import { inFolder, inFolderOf } from './in-folder';
import { lookDown, standsAt } from './look-down';
import type { Protection } from './protected-paths';

/** What a refused file or folder is called afterwards, with a number where that is taken. */
const REFUSED = '.refused-by-sayso';
/** Numbers that are tried in turn before any: who fills them all up must not win by it. */
const FIRST_NUMBERS = 10;
const MAX_TRIES = 100;
/** How often one path is moved aside while a command runs. One that makes it again after that means it, and is ended. */
const MAX_RETURNS = 3;

/** What a command tried to bring into being. Paths as they are told: in the workspace, from there. */
export interface Appeared {
  readonly moved: readonly string[];
  /** What could not be moved aside, and so is there. */
  readonly stuck: readonly string[];
  /** What it made again and again, so that it had to be ended; null for nothing. */
  readonly insisted: string | null;
  /** Whether it could not be seen what it made. */
  readonly isUnseen: boolean;
}

/**
 * Looks after protected paths that cannot be closed because nothing is there, or a link: what appears there is moved
 * aside, at once where it lies directly in the workspace, and for certain after the command's tree is gone.
 */
export class Sentinel {
  private readonly watcher: FSWatcher | null;
  /** How often each path was moved aside. */
  private readonly moved = new Map<string, number>();
  private readonly stuck = new Set<string>();
  private insisted: string | null = null;
  private work: Promise<unknown> = Promise.resolve();

  /** @param endCommand called when a protected path keeps coming back */
  constructor(
    private readonly workspace: string,
    private readonly protection: Protection,
    private readonly endCommand: () => void,
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

  /** The look at the end, when nothing of the command is alive. */
  async end(): Promise<Appeared> {
    this.watcher?.close();
    await this.work;
    // What could not be moved may be gone, or can be now.
    this.stuck.clear();
    const { writable, absent, folders } = this.protection;
    const look = () =>
      Promise.all([
        environmentVariants(this.workspace),
        lookDown(writable, [...absent, ...folders]),
        Promise.all(writable.map((folder) => lstat(folder))),
      ]);
    const looked = await look()
      .catch(() => this.openUp().then(look))
      .catch(() => null);
    if (looked !== null) {
      const [variants, seen, tops] = looked;
      const there = absent.filter((path) => standsAt(writable, path, seen) !== null);
      const appeared = variants.filter((path) => this.isNewVariant(basename(path)));
      for (const path of [...there, ...appeared]) await this.refuse(path);
      for (const [path, target] of this.protection.links) await this.restore(path, target);
      if ([...tops, ...folders.map((folder) => seen.get(folder))].some(isShut)) await this.openUp();
    }
    const told = (path: string) => (covers(this.workspace, path) ? relative(this.workspace, path) : path);
    return {
      moved: [...this.moved.keys()].filter((path) => !this.stuck.has(path)).map(told),
      stuck: [...this.stuck].map(told),
      insisted: this.insisted === null ? null : told(this.insisted),
      isUnseen: looked === null,
    };
  }

  /** Folders that the command shut to their owner are open again: we could not see what it made in them, nor the next. */
  private async openUp(): Promise<void> {
    const { writable, folders } = this.protection;
    for (const folder of [...writable, ...folders]) {
      await inFolder(writable, folder, openToOwner).catch(() => undefined);
    }
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
    const there = await this.standing(path);
    if (there !== null) await this.moveAside(there);
  }

  private async restore(path: string, target: string): Promise<void> {
    const there = await this.standing(path);
    if (there === path && (await this.inFolderOf(path, (place) => readlink(place))) === target) return;
    if (there !== null) await this.moveAside(there);
    await this.inFolderOf(path, (place) => symlink(target, place));
    this.moved.set(path, 1);
  }

  /** Itself, or the link on the way to it; null for nothing. */
  private async standing(path: string): Promise<string | null> {
    const { writable } = this.protection;
    return standsAt(writable, path, await lookDown(writable, [path]))?.path ?? null;
  }

  /** What of it fails, or has no folder to be done in, is null. */
  private inFolderOf<T>(path: string, work: (place: string) => Promise<T>): Promise<T | null> {
    return inFolderOf(this.protection.writable, path, work).catch(() => null);
  }

  private async moveAside(path: string): Promise<void> {
    const times = (this.moved.get(path) ?? 0) + 1;
    const isGone = (await this.inFolderOf(path, moveAside)) === true;
    if (isGone) this.moved.set(path, times);
    else this.stuck.add(path);
    if (isGone && times <= MAX_RETURNS) return;
    this.insisted ??= path;
    this.endCommand();
  }
}

/** @returns whether it is not there any more */
async function moveAside(place: string): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const number = tries < FIRST_NUMBERS ? tries : randomInt(FIRST_NUMBERS, 2 ** 40);
    const aside = `${place}${REFUSED}${number === 0 ? '' : `-${number}`}`;
    if ((await lstat(aside).catch(() => null)) !== null) continue;
    const failure = await renamed(place, aside);
    if (failure === null || failure === 'ENOENT') return true;
    if (failure === 'EACCES') return (await opened(dirname(place), () => renamed(place, aside))) === null;
  }
  return false;
}

/** @returns the code of what went wrong; null where it was renamed */
function renamed(from: string, to: string): Promise<string | null> {
  return rename(from, to).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? '',
  );
}

/** Also to a command of root, which has no capabilities. */
const isShut = (stats: Stats | null | undefined): boolean =>
  stats?.isDirectory() === true && (stats.mode & 0o500) !== 0o500;

async function openToOwner(folder: string): Promise<void> {
  const stats = await stat(folder);
  if (isShut(stats)) await chmod(folder, stats.mode | 0o700);
}

/** Does something in a folder that the command closed to its owner. */
async function opened<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { mode } = await stat(folder);
  await chmod(folder, mode | 0o300);
  try {
    return await work();
  } finally {
    await chmod(folder, mode).catch(() => undefined);
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
