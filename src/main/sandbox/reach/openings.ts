import { covers } from '../paths';
import type { SandboxPolicy } from '../policy';
import { type FoundPath, findPaths } from './find-path';

/** What the agent file opens beyond the workspace, as it is on this disk. */
export interface Openings {
  /** Real paths, what contains something before it; none lies in what can be written anyway. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Real paths that are named as readable inside of what can be written: they stay as they are. */
  readonly keep: readonly string[];
  /** Other names of these, through links: from the name to the real path. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * What is opened, and how far. Left out is what a command of the run itself could bend: where a link on the way, or the
 * name itself, lies in what it can write, it might lead anywhere by the next call.
 */
export function openingsOf(workspace: string, read: readonly FoundPath[], write: readonly FoundPath[]): Openings {
  const writable = [workspace, ...write.map(({ real }) => real)];
  const isWithin = (path: string): boolean => writable.some((folder) => folder !== path && covers(folder, path));
  const mayBend = ({ given, real, links }: FoundPath): boolean =>
    links.some((link) => writable.some((folder) => covers(folder, link))) || (given !== real && isWithin(given));
  const steady = (paths: readonly FoundPath[]): FoundPath[] => paths.filter((path) => !mayBend(path));
  const [reads, writes] = [steady(read), steady(write)];
  const real = (paths: readonly FoundPath[]): string[] => [...new Set(paths.map((path) => path.real))];
  const outer = writable.filter((path) => !isWithin(path));
  const isWritable = (path: string): boolean => outer.some((folder) => covers(folder, path));
  return {
    read: real(reads).filter((path) => !isWritable(path)),
    write: real(writes).filter((path) => !isWithin(path) && path !== workspace),
    keep: real(reads).filter((path) => isWithin(path) && !covers(workspace, path)),
    names: new Map(
      [...reads, ...writes].filter(({ given, real }) => given !== real).map((path) => [path.given, path.real]),
    ),
  };
}

/** What a policy opens beyond a workspace, of what is there now. */
export async function findOpenings(
  workspace: string,
  { read, write, links = {} }: Pick<SandboxPolicy, 'read' | 'write' | 'links'>,
): Promise<Openings> {
  const isSame = ({ given, real }: FoundPath): boolean => real === (Object.hasOwn(links, given) ? links[given] : given);
  return openingsOf(workspace, (await findPaths(read)).filter(isSame), (await findPaths(write)).filter(isSame));
}

/** A policy that keeps to where its paths lead now: for the start of a run, whose commands might bend them. */
export async function withLinks(policy: SandboxPolicy): Promise<SandboxPolicy> {
  const found = await findPaths([...policy.read, ...policy.write]);
  const through = found.filter(({ given, real }) => given !== real);
  return { ...policy, links: Object.fromEntries(through.map(({ given, real }) => [given, real])) };
}
