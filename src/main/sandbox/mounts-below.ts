import { readFile } from 'node:fs/promises';
import { covers } from './paths';

/** Where something is mounted below folders; nothing where that cannot be read. None of it is looked at. */
export async function mountsBelow(folders: readonly string[]): Promise<string[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const mounts = text.split('\n').map((line) => unescaped(line.split(' ')[4] ?? ''));
  const below = mounts.filter(
    (path) => !folders.includes(path) && folders.some((folder) => path !== '' && covers(folder, path)),
  );
  return [...new Set(below)];
}

/** proc(5): space, tab, line feed and backslash are written as `\040` and so on. */
export const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
