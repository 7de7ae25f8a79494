import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** How often the file is looked at, told or not. What is put on record between its removal and the look is saved as well. */
const LOOK_MS = 2_000;

const UNKNOWN = 'unknown';

/**
 * The file that is open, as its place in the folder names it. SQLite goes on writing into a file that was removed or
 * replaced, and all of that is gone when it is closed: so somebody has to look.
 */
export class StoreFile {
  #timer: NodeJS.Timeout | undefined;
  #watcher: FSWatcher | null = null;
  #isOver = false;

  private constructor(
    readonly path: string,
    private readonly identities: readonly (string | null)[],
  ) {}

  /** @param file of a database that is open */
  static async of(file: string): Promise<StoreFile> {
    return new StoreFile(file, await identitiesOf(file));
  }

  /** Whether what is open still lies in its place, and its log, too. */
  async isThere(): Promise<boolean> {
    const now = await identitiesOf(this.path);
    return this.identities.every(
      (identity, index) => identity === null || now[index] === UNKNOWN || identity === now[index],
    );
  }

  /** Whether another file lies in its place. */
  async isReplaced(): Promise<boolean> {
    const now = await identityOf(this.path);
    return now !== null && now !== UNKNOWN && now !== this.identities[0];
  }

  /** Calls back, once, when it is not there any more: at once where the system tells of it, else with the next look. */
  watch(onGone: () => void): void {
    const look = async () => {
      const isThere = await this.isThere();
      if (isThere || this.#isOver) return;
      this.end();
      onGone();
    };
    this.#timer = setInterval(() => void look(), LOOK_MS);
    this.#timer.unref();
    const names = filesOf(this.path).map((path) => basename(path));
    this.#watcher = watchFolder(dirname(this.path), (name) => {
      if (names.includes(name)) void look();
    });
  }

  end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#watcher?.close();
  }
}

/** null where nothing more can be watched on this machine. */
function watchFolder(folder: string, onName: (name: string) => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, (event, name) => {
      if (event === 'rename' && name !== null) onName(name);
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

const filesOf = (file: string): string[] => [file, `${file}-wal`];

/** Of the file and of its log. */
function identitiesOf(file: string): Promise<(string | null)[]> {
  return Promise.all(filesOf(file).map(identityOf));
}

/** Null where there is none; where that cannot be told, `unknown`, which is no reason to save anything. */
async function identityOf(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev}:${ino}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : UNKNOWN;
  }
}
