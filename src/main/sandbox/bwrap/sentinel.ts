import { lstat, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { covers, foldersBetween } from '../paths';
import { isEnvironmentVariant } from '../reach/protected';
import { indexesChanged, repositoriesIn } from '../reach/repositories';
import { environmentVariants } from '../reach/variants';
import { inFolder, inFolderOf } from './in-folder';
import { lookDown, standsAt, writableAbove } from './look-down';
import { isShut, moveAside, openToOwner } from './move-aside';
import { NameWatch } from './name-watch';
import type { Protection } from './protected-paths';

/** How often one path is moved aside while a command runs. One that makes it again after that means it, and is ended. */
const MAX_RETURNS = 3;
/** How many repositories one index may come to name. After that it is no index any more, and goes itself. */
const MAX_NAMED = 100;
/** What a look at the indexes leaves the rest of the app: so many times as long as it took. */
const REST = 4;

/** What a command tried to bring into being. Paths as they are told: in the workspace, from there. */
export interface Appeared {
  readonly moved: readonly string[];
  /** Of these, the git folders of repositories that an index has come to name. */
  readonly named: readonly string[];
  /** What could not be moved aside, and so is there. */
  readonly stuck: readonly string[];
  /** What it made again and again, so that it had to be ended; null for nothing. */
  readonly insisted: string | null;
  /** Whether it could not be seen what it made. */
  readonly isUnseen: boolean;
}

/**
 * Looks after protected paths that cannot be closed because nothing is there, or a link: what appears there is moved
 * aside, at once as far as the machine tells of it, and for certain after the command's tree is gone.
 */
export class Sentinel {
  private readonly watch: NameWatch;
  private readonly absent: Set<string>;
  /** Where the indexes are that may come to name more repositories. */
  private readonly indexes: ReadonlySet<string>;
  /** Git folders of repositories that an index has come to name. */
  private readonly named = new Set<string>();
  /** How often each path was moved aside. */
  private readonly moved = new Map<string, number>();
  private readonly stuck = new Set<string>();
  private insisted: string | null = null;
  private work: Promise<unknown> = Promise.resolve();
  /** What is in turn already. */
  private readonly inTurn = new Set<string>();
  private readonly over = new AbortController();
  /** Between two looks at the indexes; and whether one changed then. */
  private resting = false;
  private changedMeanwhile = false;

  /** @param endCommand called when a protected path keeps coming back */
  constructor(
    private readonly workspace: string,
    private readonly protection: Protection,
    private readonly endCommand: () => void,
  ) {
    const { writable, absent, repositories } = protection;
    this.absent = new Set(absent);
    const gitFolders = [...repositories.values()].flatMap((repository) => repository.folders);
    this.indexes = new Set(gitFolders.map((folder) => join(folder, 'index')));
    this.watch = new NameWatch(writable, (path) => this.appeared(path));
    // These cannot be renamed from within, so nothing else can stand in for them while we look.
    for (const folder of writable) this.watch.add(folder, true);
    for (const path of [...absent, ...this.indexes]) this.watchAbove(path);
  }

  private watchAbove(path: string): void {
    const { writable, folders } = this.protection;
    const above = writableAbove(writable, path);
    for (const folder of above === null ? [] : foldersBetween(above, path)) {
      if (!this.watch.has(folder)) this.watch.add(folder, folders.get(folder) === true);
    }
  }

  /** A name that came to be, or changed. */
  private appeared(path: string): void {
    if (this.indexes.has(path)) this.lookSoon('indexes', () => this.lookAtIndexes());
    if (this.absent.has(path) || this.isNewVariant(path)) this.lookSoon(path, () => this.refuse(path));
    if (!this.watch.has(path)) return;
    for (const below of this.absent) if (covers(path, below)) this.lookSoon(below, () => this.refuse(below));
  }

  /** The look at the end, when nothing of the command is alive. */
  async end(): Promise<Appeared> {
    this.watch.close();
    this.over.abort();
    await this.work;
    // What could not be moved may be gone, or can be now.
    this.stuck.clear();
    const { writable, folders } = this.protection;
    const absent = [...this.absent];
    const look = () =>
      Promise.all([
        environmentVariants(this.workspace),
        lookDown(writable, [...absent, ...folders.keys()]),
        Promise.all(writable.map((folder) => lstat(folder))),
        indexesChanged(this.protection.repositories.values()),
      ]);
    const looked = await look()
      .catch(() => this.openUp().then(look))
      .catch(() => null);
    if (looked !== null) {
      const [variants, seen, tops, hasOtherIndex] = looked;
      const there = absent.filter((path) => standsAt(writable, path, seen) !== null);
      const appeared = variants.filter((path) => this.isNewVariant(path));
      for (const path of [...there, ...appeared]) await this.refuse(path);
      for (const [path, target] of this.protection.links) await this.restore(path, target);
      if ([...tops, ...[...folders.keys()].map((folder) => seen.get(folder))].some(isShut)) await this.openUp();
      if (hasOtherIndex) await this.refuseNamed();
    }
    const told = (path: string) => (covers(this.workspace, path) ? relative(this.workspace, path) : path);
    const gone = [...this.moved.keys()].filter((path) => !this.stuck.has(path));
    return {
      moved: gone.filter((path) => !this.named.has(path)).map(told),
      named: gone.filter((path) => this.named.has(path)).map(told),
      stuck: [...this.stuck].map(told),
      insisted: this.insisted === null ? null : told(this.insisted),
      isUnseen: looked === null,
    };
  }

  /** Folders that the command shut to their owner are open again: we could not see what it made in them, nor the next. */
  private async openUp(): Promise<void> {
    const { writable, folders } = this.protection;
    for (const folder of [...writable, ...folders.keys()]) {
      await inFolder(writable, folder, openToOwner).catch(() => undefined);
    }
  }

  /** Whether it is a variant of `.env` that was not there, and so could not be closed. */
  private isNewVariant(path: string): boolean {
    const isIn = dirname(path) === this.workspace;
    return isIn && isEnvironmentVariant(basename(path)) && !this.protection.variants.has(path);
  }

  private lookSoon(what: string, look: () => Promise<void>): void {
    if (this.inTurn.has(what)) return;
    this.inTurn.add(what);
    this.work = this.work
      .then(() => {
        // What changes from now on is looked at once more.
        this.inTurn.delete(what);
        return look();
      })
      .catch(() => undefined);
  }

  private async lookAtIndexes(): Promise<void> {
    if (this.resting) {
      this.changedMeanwhile = true;
      return;
    }
    const began = performance.now();
    await this.refuseNamed();
    this.resting = true;
    const { signal } = this.over;
    const rested = delay(REST * (performance.now() - began), undefined, { signal }).then(() => {
      this.resting = false;
      if (this.changedMeanwhile) this.lookSoon('indexes', () => this.lookAtIndexes());
      this.changedMeanwhile = false;
    });
    rested.catch(() => undefined);
  }

  /**
   * A repository that stands in an index: git goes into it whenever somebody asks for the status, and does what its
   * configuration says. Those that stood there before are protected like the workspace's own.
   */
  private async refuseNamed(): Promise<void> {
    const { writable, repositories, nested } = this.protection;
    const now = await repositoriesIn(writable, nested, 'anew').catch(() => null);
    // There are too many.
    for (const index of now === null ? this.indexes : []) await this.refuse(index);
    for (const { root, folders, links, unread } of now?.values() ?? []) {
      const before = repositories.get(root);
      // It goes itself.
      if (before === undefined) continue;
      const more = links.filter((link) => !repositories.has(link));
      const isOdd = more.length > MAX_NAMED || (unread !== null && before.unread === null);
      for (const folder of isOdd ? folders : []) await this.refuse(join(folder, 'index'));
      for (const link of isOdd ? [] : more) await this.refuseRepository(link);
    }
  }

  private async refuseRepository(root: string): Promise<void> {
    const path = join(root, '.git');
    if (!this.named.has(path)) {
      this.named.add(path);
      this.absent.add(path);
      this.watchAbove(path);
    }
    await this.refuse(path);
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
