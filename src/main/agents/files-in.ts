import { realpath } from 'node:fs/promises';
import { covers } from '../sandbox/paths';
import type { Watched } from './watch';

/**
 * The agent files, and the folders of them, that lie in some folders, by their names and as they really are. A folder of
 * agents that one of these lies in, or is, is not among them: only the files that it holds are.
 */
export async function agentFilesIn(folders: readonly string[], agents: Watched): Promise<string[]> {
  const places = await both([...agents.folders, ...agents.files]);
  const tops = await both(folders);
  return places.filter(
    (place) => tops.some((top) => top !== place && covers(top, place)) && !tops.some((top) => covers(place, top)),
  );
}

async function both(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  return [...new Set([...paths, ...real])];
}
