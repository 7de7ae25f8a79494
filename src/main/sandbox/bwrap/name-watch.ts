import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { covers } from '../paths';
import { inFolder } from './in-folder';

/** More are watched by nobody's wish. */
const MAX_FOLDERS = 5_000;

/**
 * Watches folders that a command can write to, to tell at once which names in them come to be or change: those that are
 * there, and others as they come to be. Of what cannot be watched, or are too many, nothing is told.
 */
export class NameWatch {
  private readonly folders = new Set<string>();
  private readonly watchers = new Map<string, FSWatcher>();
  private isOver = false;
  private work: Promise<unknown> = Promise.resolve();
  private readonly inTurn = new Set<string>();

  /**
   * @param writable the folders that it can write to, which it can neither rename nor replace
   * @param onName told of a path; of a folder that comes to be only when it is watched, so that what is in it can be
   *   looked for
   */
  constructor(
    private readonly writable: readonly string[],
    private readonly onName: (path: string) => void,
  ) {}

  /** From now on. @param isThere whether it was just seen to be a folder: then there is no need to look */
  add(folder: string, isThere: boolean): void {
    if (this.folders.size >= MAX_FOLDERS) return;
    this.folders.add(folder);
    if (isThere) this.watch(folder, folder);
    else this.watchInTurn(folder);
  }

  has(folder: string): boolean {
    return this.folders.has(folder);
  }

  close(): void {
    this.isOver = true;
    for (const watcher of this.watchers.values()) watcher.close();
  }

  /** @param place a path that leads to the folder */
  private watch(folder: string, place: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
    const watcher = this.isOver ? null : open(place);
    if (watcher === null) return;
    this.watchers.set(folder, watcher);
    watcher.on('change', (_, name) => {
      if (typeof name === 'string') this.named(join(folder, name));
    });
    watcher.on('error', () => watcher.close());
  }

  private named(path: string): void {
    if (!this.folders.has(path)) this.onName(path);
    // One look for however many times it came and went before.
    else if (!this.inTurn.has(path)) this.watchInTurn(path);
  }

  private watchInTurn(path: string): void {
    this.inTurn.add(path);
    this.work = this.work.then(async () => {
      this.inTurn.delete(path);
      // With the folders in it: nobody told of those.
      await this.watchHeld([...this.folders].filter((folder) => covers(path, folder)));
      if (!this.isOver) this.onName(path);
    });
  }

  /** Never through a link: what a command put there may lead to where a look never ends. */
  private async watchHeld(folders: readonly string[]): Promise<void> {
    for (const folder of folders) {
      await inFolder(this.writable, folder, async (place) => this.watch(folder, place)).catch(() => undefined);
    }
  }
}

function open(place: string): FSWatcher | null {
  try {
    return watch(place, { persistent: false });
  } catch {
    return null;
  }
}
