import { stat } from 'node:fs/promises';

/** How often the file is looked at. What is put on record between its removal and the next look is saved as well. */
const LOOK_MS = 2_000;

const UNKNOWN = 'unknown';

/**
 * The file that is open, as its place in the folder names it. SQLite goes on writing into a file that was removed or
 * replaced, and all of that is gone when it is closed: so somebody has to look.
 */
export class StoreFile {
  #timer: NodeJS.Timeout | undefined;

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

  /** Calls back, once, when it is not there any more. */
  watch(onGone: () => void): void {
    const look = async () => {
      if (await this.isThere()) this.#timer = this.#later(look);
      else if (this.#timer !== undefined) onGone();
    };
    this.#timer = this.#later(look);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #later(look: () => Promise<void>): NodeJS.Timeout {
    const timer = setTimeout(() => void look(), LOOK_MS);
    timer.unref();
    return timer;
  }
}

/** Of the file and of its log. */
function identitiesOf(file: string): Promise<(string | null)[]> {
  return Promise.all([file, `${file}-wal`].map(identityOf));
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
