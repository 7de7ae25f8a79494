import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** An editor saves in several steps; they are one change, in milliseconds. */
const SETTLE_MS = 120;

/** What to look at: whole folders, for files that come and go, and single files, wherever they lie. */
export interface Watched {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/**
 * Says when agent files change, without looking again and again: the system tells. Folders are watched, never files, as
 * editors replace those; a folder that is not there yet is looked for in the one above it.
 */
export class AgentWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  #names = new Map<string, ReadonlySet<string> | 'all'>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly onChange: () => void | Promise<void>) {}

  /** Replaces what is watched. */
  watch({ folders, files }: Watched): void {
    if (this.#closed) return;
    const names = new Map<string, Set<string> | 'all'>();
    const add = (folder: string, name: string): void => {
      const known = names.get(folder);
      if (known === undefined) names.set(folder, new Set([name]));
      else if (known !== 'all') known.add(name);
    };
    for (const file of files) add(dirname(file), basename(file));
    for (const folder of folders) {
      names.set(folder, 'all');
      // Where it is made, or made anew.
      add(dirname(folder), basename(folder));
    }
    this.#names = names;
    for (const [folder, watcher] of this.#watchers) {
      if (names.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of names.keys()) this.#open(folder);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #open(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => this.#changed(folder, name));
      // The folder went away; the one above it says when it is back.
      watcher.on('error', () => this.#forget(folder, watcher));
      this.#watchers.set(folder, watcher);
    } catch {
      // It is not there yet.
    }
  }

  #forget(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
  }

  #changed(folder: string, name: string | null): void {
    const names = this.#names.get(folder);
    if (names === undefined || (names !== 'all' && name !== null && !names.has(name))) return;
    const inside = name === null ? folder : join(folder, name);
    const watcher = this.#watchers.get(inside);
    // A folder that was made anew is another one: the old watch sees nothing of it.
    if (watcher !== undefined && inside !== folder) this.#forget(inside, watcher);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const known of this.#names.keys()) this.#open(known);
      void this.onChange();
    }, SETTLE_MS);
  }
}
