import type { Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { covers, waysUp } from '../paths';
import { protectedPaths } from '../reach/protected';
import { inFolder, inFolderOf } from './in-folder';
import { lookDown, type Seen, standsAt } from './look-down';
import { makePlaces } from './make-places';
import { inOpened } from './move-aside';
import { heldBy, isMarked, isUnused, type PlaceKind } from './place-marks';
import { removeEmpty, removePlace } from './remove-places';

/**
 * How long one stays that no command needs, unless it is taken away before: the next is likely to come, and a program that
 * watches the folder, as servers of web pages watch for an .env, is told once and not at each command.
 */
const LINGER_MS = 60_000;

/** Something empty in the place of a protected path that is missing, so that it can be closed. */
interface Place {
  readonly path: string;
  readonly writable: readonly string[];
  readonly device: number;
  readonly inode: number;
  /** How many commands need it. */
  uses: number;
  /** Until it goes, while nobody needs it. */
  idle: NodeJS.Timeout | null;
}

/** All of them, by their paths: commands share them. */
const places = new Map<string, Place>();
/** One after the other: between a look and the placing nobody may take away. */
let queue: Promise<unknown> = Promise.resolve();

export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = queue.then(work);
  queue = result.catch(() => undefined);
  return result;
}

/** What is being put there just now. */
const underway = new Map<string, Promise<unknown>>();

async function announced<T>(paths: readonly string[], work: Promise<T>): Promise<T> {
  for (const path of paths) underway.set(path, work);
  try {
    return await work;
  } finally {
    for (const path of paths) underway.delete(path);
  }
}

/** Waits until what is being put there, if anything is, counts as put there by this app. */
export const isSettled = async (path: string): Promise<void> => {
  await underway.get(path)?.catch(() => undefined);
};

const isSame = (place: Place, stats: Stats): boolean =>
  place.device === stats.dev && place.inode === stats.ino && isUnused(stats);

/** Whether what was seen there is what this app put there, and is as it was made. */
export function isPlaced(path: string, seen: Seen): boolean {
  const [place, stats] = [places.get(path), seen.get(path) ?? null];
  return place !== undefined && stats !== null && isSame(place, stats);
}

/** What one command needs. */
export class HeldPlaces {
  private readonly held = new Set<Place>();

  constructor(
    /** Whether something had to be made, and so is there that was not when it was looked. */
    readonly isNew: boolean,
    held: readonly Place[],
  ) {
    for (const place of held) this.hold(place);
  }

  get paths(): string[] {
    return [...this.held].map(({ path }) => path);
  }

  /** What holds a place for another command, where this one comes upon it, stays as long as this one needs it. */
  share(path: string): void {
    const place = places.get(path);
    if (place !== undefined) this.hold(place);
  }

  private hold(place: Place): void {
    if (this.held.has(place)) return;
    this.held.add(place);
    place.uses += 1;
    if (place.idle !== null) clearTimeout(place.idle);
    place.idle = null;
  }

  /** The command has ended. */
  letGo(): void {
    for (const place of this.held) {
      place.uses -= 1;
      if (place.uses === 0) place.idle = setTimeout(() => void inTurn(() => takeAway(place)), LINGER_MS).unref();
    }
    this.held.clear();
  }
}

export interface Placing {
  /** A folder that no command gets to see, whatever its policy says; null for none. */
  readonly unseen: string | null;
  /** Of some paths, those that git tracks: it stops at what is no file in the place of one that was removed. */
  readonly tracked: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Puts something in the place of what is missing in a workspace and has a folder to be in. In turn.
 * @param protect what the agent file adds, absolute or relative to the workspace
 * @param seen what is there, looked at in the same turn
 * @throws Error with words for model and operator where one cannot be made, though the command might
 */
export async function holdPlaces(
  writable: readonly [workspace: string, ...beyond: string[]],
  protect: readonly string[],
  seen: Seen,
  { unseen, tracked }: Placing,
): Promise<HeldPlaces> {
  const known: Place[] = [];
  const made: Place[] = [];
  for (const [folder, kinds] of missingIn(writable, protect, seen)) {
    // Inside an empty one there is nothing to place.
    if ([...known, ...made].some(({ path }) => covers(path, folder))) continue;
    const missing = new Map<string, PlaceKind>();
    for (const [path, kind] of kinds) {
      const place = places.get(path);
      if (place !== undefined && isPlaced(path, seen)) known.push(place);
      else missing.set(path, kind);
    }
    if (missing.size === 0) continue;
    try {
      const sockets = [...missing].flatMap(([path, kind]) => (kind === 'socket' ? [path] : []));
      if (sockets.length > 0) for (const path of await tracked(sockets)) missing.delete(path);
      made.push(...(await announced([...missing.keys()], placeIn(writable, folder, missing, unseen))));
    } catch (error) {
      for (const place of made) await takeAway(place);
      throw error;
    }
  }
  return new HeldPlaces(made.length > 0, [...known, ...made]);
}

/** What there may be to place, by the folders that it lies in. */
function missingIn(
  writable: readonly [workspace: string, ...beyond: string[]],
  protect: readonly string[],
  seen: Seen,
): Map<string, Map<string, PlaceKind>> {
  const [workspace] = writable;
  const kinds = kindsIn(workspace, protect);
  const isThere = (path: string): boolean => {
    const there = standsAt(writable, path, seen);
    return there !== null && !(there.path === path && isMarked(there.stats));
  };
  const folders = new Map<string, Map<string, PlaceKind>>();
  for (const [path, kind] of kinds) {
    const folder = dirname(path);
    // What is in something closed is closed with it.
    const isClosed = waysUp(folder).some((above) => above !== join(workspace, '.git') && kinds.has(above));
    const hasFolder = writable.includes(folder) || seen.get(folder)?.isDirectory() === true;
    if (isClosed || !hasFolder || isThere(path)) continue;
    folders.set(folder, (folders.get(folder) ?? new Map()).set(path, kind));
  }
  return folders;
}

/** What comes first has what lies in it behind it. */
function kindsIn(workspace: string, protect: readonly string[]): ReadonlyMap<string, PlaceKind> {
  const git = join(workspace, '.git');
  const others = protectedPaths(workspace, [], protect).filter((path) => !covers(git, path));
  return new Map<string, PlaceKind>([
    [git, 'folder'],
    [join(git, 'hooks'), 'folder'],
    [join(git, 'config'), 'file'],
    ...others.map((path) => [path, 'socket'] as const),
  ]);
}

/** Where we cannot write, a command cannot either: it runs as we do, or as less. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

async function placeIn(
  writable: readonly string[],
  folder: string,
  missing: ReadonlyMap<string, PlaceKind>,
  unseen: string | null,
): Promise<Place[]> {
  const make = (at: string) => placeAll(at, writable, missing, unseen);
  return (
    (await inFolder(writable, folder, (at) =>
      // A folder that its owner closed, the command can open.
      make(at).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EACCES') throw error;
        return inOpened(at, () => make(at));
      }),
    ).catch((error: NodeJS.ErrnoException) => {
      if (CLOSED.has(error.code)) return [];
      const names = [...missing.keys()].map((path) => basename(path)).join(', ');
      throw new Error(
        `what is protected and missing in ${folder} (${names}) cannot be kept from being made: ${error.message}`,
      );
    })) ?? []
  );
}

/** @param at a path that leads to the folder */
async function placeAll(
  at: string,
  writable: readonly string[],
  missing: ReadonlyMap<string, PlaceKind>,
  unseen: string | null,
): Promise<Place[]> {
  const names = new Map([...missing].map(([path, kind]) => [basename(path), kind]));
  const { made, failure } = await makePlaces(at, names, unseen);
  const found = await Promise.all(
    [...missing].map(async ([path, kind]): Promise<Place | null> => {
      const place = join(at, basename(path));
      const stats = await heldBy(place);
      // Where no file was to be, a command may have made one, and still have it open.
      const isMeant = stats !== null && (kind === 'file' || !stats.isFile());
      if (isMeant) return { path, writable, device: stats.dev, inode: stats.ino, uses: 0, idle: null };
      // A file system without modes and times keeps no marks: what could not be told from the operator's is not left.
      if (made.includes(basename(path))) await removeEmpty(place);
      return null;
    }),
  );
  const ours = found.filter((place) => place !== null);
  for (const place of ours) {
    const before = places.get(place.path);
    if (before?.idle) clearTimeout(before.idle);
    places.set(place.path, place);
  }
  if (failure === null) return ours;
  for (const place of ours) await takeAway(place);
  throw failure;
}

/** Takes one away that no command needs. In turn. */
async function takeAway(place: Place): Promise<void> {
  // Where another one has its place by now, that one may even have its inode.
  if (place.uses > 0 || places.get(place.path) !== place) return;
  if (place.idle !== null) clearTimeout(place.idle);
  const { writable, path } = place;
  // What cannot be taken away holds the place for the next command, or is somebody else's by now.
  await inFolderOf(writable, path, (at) => removePlace(at, (stats) => isSame(place, stats))).catch(() => undefined);
  // Not before: until it is gone, whoever comes upon it has to know what it is.
  places.delete(path);
}

/** All that no command needs, at once: for the end of a run, and of the app. */
export function takeAwayIdle(): Promise<void> {
  return inTurn(async () => {
    for (const place of [...places.values()]) await takeAway(place);
  });
}

/**
 * Takes away what an app that was killed has left in a workspace. What a command of this app needs by now stays.
 * @param workspace a real path
 */
export async function removeLeft(workspace: string): Promise<void> {
  const entries = await readdir(workspace, { withFileTypes: true });
  const sockets = entries.filter((entry) => entry.isSocket()).map(({ name }) => name);
  const paths = [...kindsIn(workspace, sockets).keys()];
  // Not in turn: it may be where nobody answers.
  const seen = await lookDown([workspace], paths);
  for (const path of paths) {
    const stats = seen.get(path) ?? null;
    if (stats === null || !isMarked(stats)) continue;
    await inTurn(async () => {
      if (places.has(path)) return;
      await inFolderOf([workspace], path, (at) => removePlace(at, isUnused)).catch(() => undefined);
    });
  }
}
