import { open, rename, rm } from 'node:fs/promises';

/** Texts are written together until they are as long as this. */
const CHUNK = 262_144;

/** What is being written: two at once would write into each other's file. */
const writing = new Set<string>();

/**
 * Writes a file beside itself first, so that what fails half way leaves what was there before, and no half.
 * @throws Error where it is being written already
 */
export async function writeFileWhole(path: string, texts: AsyncIterable<string>): Promise<void> {
  if (writing.has(path)) throw new Error(`${path} is being written already: wait until that is done.`);
  const part = `${path}.part`;
  writing.add(path);
  try {
    const file = await open(part, 'w', 0o600);
    try {
      let chunk = '';
      for await (const text of texts) {
        chunk += text;
        if (chunk.length < CHUNK) continue;
        await file.write(chunk);
        chunk = '';
      }
      await file.write(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    writing.delete(path);
  }
}
