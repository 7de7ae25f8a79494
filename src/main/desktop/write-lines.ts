import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes lines to a file as they come, beside it first, so that an export that fails leaves no half of itself.
 * @returns how many lines there were
 */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<number> {
  const part = `${path}.part`;
  let count = 0;
  try {
    const file = await open(part, 'w', 0o600);
    try {
      for await (const line of lines) {
        await file.write(line);
        count += 1;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return count;
}
