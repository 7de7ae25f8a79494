import { dirname, isAbsolute, relative, sep } from 'node:path';

/** Whether a path is the folder or in it, by its name alone. Both absolute. */
export function covers(folder: string, path: string): boolean {
  // The same without the work, for paths that are spelled out: there are many to look at.
  if (sep === '/' && !isRoundabout(folder) && !isRoundabout(path))
    return path === folder || path.startsWith(below(folder));
  const way = relative(folder, path);
  // On Windows the way to another drive is absolute.
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const isRoundabout = (path: string): boolean => path[0] !== '/' || /\/(?:\.{0,2}\/|\.{0,2}$)/.test(path);
const below = (folder: string): string => (folder.endsWith('/') ? folder : `${folder}/`);

/** How many folders deep a path is, so that what lies inside something can be put after it. */
export const depth = (path: string): number => path.split(sep).filter(Boolean).length;

/** The folders between a folder and a path in it, both left out, from the outermost on; none where it is not in it. */
export function foldersBetween(folder: string, path: string): string[] {
  const folders: string[] = [];
  for (let place = dirname(path); place !== folder && covers(folder, place); place = dirname(place)) {
    folders.unshift(place);
  }
  return folders;
}

/** A path and all folders above it. */
export function waysUp(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...waysUp(above)];
}

/** A path as it is told: in the folder, from there. */
export const toldIn = (folder: string, path: string): string => (covers(folder, path) ? relative(folder, path) : path);
