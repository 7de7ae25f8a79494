import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** As many links as the kernel follows (path_resolution(7)). */
const MAX_LINKS = 40;

/** Where something would come to be that is made by a name with links in it; null where they lead nowhere. */
export async function placeBehindLinks(path: string, links = 0): Promise<string | null> {
  const folder = await realpath(dirname(path)).catch(() => null);
  const above = folder ?? (dirname(path) === path ? path : await placeBehindLinks(dirname(path), links));
  if (above === null) return null;
  const place = join(above, basename(path));
  const target = await readlink(place).catch(() => null);
  if (target === null) return place;
  return links >= MAX_LINKS ? null : placeBehindLinks(resolve(above, target), links + 1);
}
