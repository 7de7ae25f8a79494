import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { Settings } from '@shared/settings';

/** The operator's settings, kept as JSON. A file that cannot be read is set aside, and the defaults serve. */
export class SettingsFile {
  #settings: Settings = Settings.parse({});

  constructor(private readonly file: string) {}

  get current(): Settings {
    return this.#settings;
  }

  /** Reads the file; returns what the operator should know of it, if anything. */
  async load(): Promise<string | null> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      return `The settings ${this.file} cannot be read; the defaults are used.`;
    }
    const parsed = Settings.safeParse(parseJson(text));
    if (parsed.success) {
      this.#settings = parsed.data;
      return null;
    }
    const aside = `${this.file}.unreadable-${Date.now()}`;
    await rename(this.file, aside);
    return `The settings were not readable; they are kept at ${aside}, and the defaults are used.`;
  }

  async save(settings: Settings): Promise<void> {
    const part = `${this.file}.${randomUUID()}`;
    await writeFile(part, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
    await rename(part, this.file);
    this.#settings = settings;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
