import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { KeyState } from '@shared/settings';
import { safeStorage } from 'electron';

/**
 * The Anthropic API key. One in the environment wins; else the stored one, encrypted by the system's own key store; where
 * the system has none that is real, a key is kept in memory until the app quits, and the operator is told so.
 */
export class ApiKey {
  #stored: string | null = null;
  #inMemory: string | null = null;
  #problem: string | null = null;

  constructor(
    private readonly file: string,
    private readonly fromEnvironment: string | undefined,
  ) {}

  /** Reads the stored key. One that cannot be decrypted stays where it is. */
  async load(): Promise<void> {
    let encrypted: Buffer;
    try {
      encrypted = await readFile(this.file);
    } catch {
      return;
    }
    try {
      if (this.#canStore()) this.#stored = safeStorage.decryptString(encrypted);
      else this.#problem = 'There is a stored key, but the system’s key store is not available now.';
    } catch {
      this.#problem = 'The stored key cannot be decrypted; enter it again.';
    }
  }

  get value(): string | null {
    return this.fromEnvironment ?? this.#inMemory ?? this.#stored;
  }

  get state(): KeyState {
    const canStore = this.#canStore();
    return { source: this.#source(), canStore, note: this.#note(canStore) };
  }

  /** Keeps a key, or forgets every one that was given with null. */
  async set(key: string | null): Promise<void> {
    this.#problem = null;
    if (key === null) {
      await rm(this.file, { force: true });
      this.#stored = null;
      this.#inMemory = null;
    } else if (this.#canStore()) {
      await writeFile(`${this.file}.part`, safeStorage.encryptString(key), { mode: 0o600 });
      await rename(`${this.file}.part`, this.file);
      this.#stored = key;
      this.#inMemory = null;
    } else {
      this.#inMemory = key;
    }
  }

  #source(): KeyState['source'] {
    if (this.fromEnvironment !== undefined) return 'environment';
    if (this.#inMemory !== null) return 'memory';
    return this.#stored === null ? 'none' : 'stored';
  }

  #note(canStore: boolean): string {
    if (this.fromEnvironment !== undefined) return 'Taken from ANTHROPIC_API_KEY, which wins over a key given here.';
    if (this.#problem !== null) return this.#problem;
    return canStore
      ? 'Stored encrypted with the system’s key store.'
      : 'This system offers no real encryption, so a key is kept in memory only and is gone when Sayso quits.';
  }

  /** On Linux without a keyring Electron "encrypts" with a fixed password: that is no encryption. */
  #canStore(): boolean {
    if (!safeStorage.isEncryptionAvailable()) return false;
    return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend?.() !== 'basic_text';
  }
}
