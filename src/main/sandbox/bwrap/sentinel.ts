import { lstat, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { covers, foldersBetween, toldIn, waysUp } from '../paths';
import { isEnvironmentVariant } from '../reach/protected';
import { indexesChanged, type Repository, repositoriesIn } from '../reach/repositories';
import { environmentVariants } from '../reach/variants';
import { inFolder, inFolderOf } from './in-folder';
import { lookDown, standsAt, writableAbove } from './look-down';
import { isShut, moveAside, openToOwner } from './move-aside';
import { NameWatch } from './name-watch';
import { holdsPlace } from './place-marks';
import { isPlaced, isSettled } from './placeholders';
import type { Protection } from './protected-paths';

/** How often one path is moved aside while a command runs. One that makes it again after that means it, and is ended. */
const MAX_RETURNS = 3;
/** How many repositories indexes may come to name. After that they are none any more, and go themselves. */
const MAX_NAMED = 20;
/** How many names a command may bring into being. One that goes on means it, and is ended. */
const MAX_MADE = 30;
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
  /** Where nothing is to be but what holds a place: somebody outside may take that away. */
  private readonly missing: ReadonlySet<string>;
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
  /** Whether another command could write to the same folders, and so change what this one is judged by. */
  private wasShared = false;
  /** A look at the indexes, and the rest after it; and whether one changed then. */
  private looking: Promise<void> | null = null;
  private changedMeanwhile = false;

  /** @param endCommand called when a protected path keeps coming back */
  constructor(
    private readonly workspace: string,
    private readonly protection: Protection,
    private readonly endCommand: () => void,
  ) {
    const { writable, absent, placed, repositories } = protection;
    this.missing = new Set([...absent, ...placed]);
    const gitFolders = [...repositories.values()].flatMap((repository) => repository.folders);
    this.indexes = new Set(gitFolders.map((folder) => join(folder, 'index')));
    for (const other of living) {
      if (!isShared(writable, other.writable)) continue;
      this.wasShared = true;
      other.wasShared = true;
    }
    living.add(this);
    this.watch = new NameWatch(writable, (path) => this.appeared(path));
    // These cannot be renamed from within, so nothing else can stand in for them while we look.
    for (const folder of writable) this.watch.add(folder, true);
    for (const path of [...this.missing, ...this.indexes]) this.watchAbove(path);
  }

  get writable(): readonly string[] {
    return this.protection.writable;
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
    if (this.indexes.has(path)) this.lookAtIndexes();
    if (this.isNewVariant(path)) this.lookSoon(path, () => this.refuse(path));
    const isFolder = this.watch.has(path);
    const isMeant = (one: string): boolean => one === path || (isFolder && covers(path, one));
    for (const one of this.missing) if (isMeant(one)) this.lookSoon(one, () => this.refuse(one));
    for (const one of this.named) if (isMeant(one)) this.lookSoon(one, () => this.refuseGitFolder(one));
  }

  /** The look at the end, when nothing of the command is alive. */
  async end(): Promise<Appeared> {
    living.delete(this);
    this.watch.close();
    this.over.abort();
    await this.looking;
    await this.work;
    // What could not be moved may be gone, or can be now.
    this.stuck.clear();
    const { writable, folders } = this.protection;
    const missing = [...this.missing];
    const look = () =>
      Promise.all([
        environmentVariants(this.workspace),
        lookDown(writable, [...missing, ...folders.keys()]),
        Promise.all(writable.map((folder) => lstat(folder))),
        indexesChanged(this.protection.repositories.values()),
      ]);
    const looked = await look()
      .catch(() => this.openUp().then(look))
      .catch(() => null);
    if (looked !== null) {
      const [variants, seen, tops, hasOtherIndex] = looked;
      const there = missing.filter((path) => standsAt(writable, path, seen) !== null && !isPlaced(path, seen));
      const appeared = variants.filter((path) => this.isNewVariant(path));
      for (const path of [...there, ...appeared]) await this.refuse(path);
      for (const path of this.named) await this.refuseGitFolder(path);
      for (const [path, target] of this.protection.links) await this.restore(path, target);
      if ([...tops, ...[...folders.keys()].map((folder) => seen.get(folder))].some(isShut)) await this.openUp();
      // A file that somebody has mapped changes without its times.
      if (hasOtherIndex || this.wasShared) await this.refuseNamed(await this.repositoriesNow());
    }
    const told = (path: string) => toldIn(this.workspace, path);
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

  private lookSoon(what: string, look: () => Promise<unknown>): void {
    if (this.inTurn.has(what)) return;
    this.inTurn.add(what);
    this.inOrder(() => {
      // What changes from now on is looked at once more.
      this.inTurn.delete(what);
      return look();
    });
  }

  private inOrder(work: () => Promise<unknown>): void {
    this.work = this.work.then(work).catch(() => undefined);
  }

  /** Beside all else: they may be long. */
  private lookAtIndexes(): void {
    if (this.looking !== null) {
      this.changedMeanwhile = true;
      return;
    }
    this.looking = this.readIndexes().finally(() => {
      this.looking = null;
      if (!this.changedMeanwhile || this.over.signal.aborted) return;
      this.changedMeanwhile = false;
      this.lookAtIndexes();
    });
  }

  private async readIndexes(): Promise<void> {
    const began = performance.now();
    const now = await this.repositoriesNow();
    const took = performance.now() - began;
    this.inOrder(() => this.refuseNamed(now));
    await delay(REST * took, undefined, { signal: this.over.signal }).catch(() => undefined);
  }

  /** null where they cannot be told. */
  private repositoriesNow(): Promise<ReadonlyMap<string, Repository> | null> {
    const { writable, nested } = this.protection;
    return repositoriesIn(writable, nested, 'anew').catch(() => null);
  }

  /**
   * A repository that stands in an index: git goes into it whenever somebody asks for the status, and does what its
   * configuration says. Those that stood there before are protected like the workspace's own.
   */
  private async refuseNamed(now: ReadonlyMap<string, Repository> | null): Promise<void> {
    const { repositories } = this.protection;
    for (const index of now === null ? this.indexes : []) await this.refuseItself(index);
    for (const { root, folders, links, unread } of now?.values() ?? []) {
      const before = repositories.get(root);
      // It goes itself.
      if (before === undefined) continue;
      // A working tree that was made meanwhile names itself: its git folder is the agent's own.
      const more = links.filter((link) => !repositories.has(link)).map((link) => join(link, '.git'));
      for (const path of more) this.name(path);
      const isOdd = this.named.size > MAX_NAMED || (unread !== null && before.unread === null);
      const done = isOdd ? [false] : await Promise.all(more.map((path) => this.refuseGitFolder(path)));
      if (done.includes(false)) for (const folder of folders) await this.refuseItself(join(folder, 'index'));
    }
  }

  /** What an index has come to name is looked for from now on, unless the command cannot change it: then it is the operator's. */
  private name(path: string): void {
    if (
      writableAbove(this.writable, path) === null ||
      waysUp(path).some((place) => this.protection.closed.has(place))
    ) {
      return;
    }
    this.named.add(path);
    this.watchAbove(path);
  }

  private async refuseGitFolder(path: string): Promise<boolean> {
    return this.named.has(path) ? this.refuseItself(path) : true;
  }

  /**
   * Not a link on the way: behind one git does not go, or to where the index is under another name as well.
   * @returns false where it cannot be told whether it is there
   */
  private async refuseItself(path: string): Promise<boolean> {
    const there = await this.standing(path).catch(() => undefined);
    if (there === path) await this.moveAside(path);
    return there !== undefined;
  }

  /**
   * What is there though the path was to be absent goes: that itself, or a link on the way to it. Not what this app put
   * there for a command. By its marks alone only a socket is taken for such a thing, which may be another app's, and only
   * where one was to be: a command can make the like, and come back to a file by another name.
   */
  private async refuse(path: string): Promise<void> {
    const { writable, placed } = this.protection;
    await isSettled(path);
    const seen = await lookDown(writable, [path]);
    const there = standsAt(writable, path, seen);
    if (there === null || isPlaced(path, seen)) return;
    if (there.path === path && holdsPlace(there.stats) && placed.includes(path)) return;
    await this.moveAside(there.path);
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
    if (isGone && times <= MAX_RETURNS && this.moved.size <= MAX_MADE) return;
    this.insisted ??= path;
    this.endCommand();
  }
}

/** Those whose commands may still be alive. */
const living = new Set<Sentinel>();

/** Whether a command may be alive that can write to some folders. */
export const mayBeWritten = (folders: readonly string[]): boolean =>
  [...living].some((one) => isShared(folders, one.writable));

const isShared = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.some((other) => covers(one, other) || covers(other, one)));
