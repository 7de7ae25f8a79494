import { dirname } from 'node:path';
import { covers, depth } from '../paths';

/** One thing that is to be seen in the sandbox, at the place that it has on this machine. */
export type Mount =
  | { readonly kind: 'read' | 'write'; readonly path: string }
  /** A folder of its own in memory, empty; `bytes` is what fits. */
  | { readonly kind: 'private'; readonly path: string; readonly bytes: number }
  /** A file that is there and cannot be opened. */
  | { readonly kind: 'closed'; readonly path: string }
  /** Another name of something that is seen. */
  | { readonly kind: 'link'; readonly path: string; readonly to: string };

/**
 * The mounts in the order in which they have to be made: what contains something comes before it. Of two for one path
 * the later one counts; what lies in a hidden folder is left out.
 */
export function arrange(mounts: readonly Mount[], hidden: readonly string[]): Mount[] {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  const kept = [...byPath.values()].filter(
    ({ path }) => !hidden.some((folder) => folder !== path && covers(folder, path)),
  );
  const sorted = kept.sort((a, b) => depth(a.path) - depth(b.path));
  return sorted.filter((mount, index) => !isRedundant(mount, sorted.slice(0, index)));
}

/**
 * Adds other names of what is seen. A link, not a second mount: what is hidden or protected in there would be open
 * through that. What is read by such a name, as the folders of PATH are, is found through the link. Left out where the
 * link itself is seen already, and where anything else is mounted behind the name.
 */
export function withLinks(arranged: readonly Mount[], names: ReadonlyMap<string, string>): Mount[] {
  const links = [...names].filter(([path]) => {
    const around = mountAt(dirname(path), arranged)?.kind;
    const isFree = around === undefined || around === 'private';
    return isFree && arranged.every((mount) => mount.kind === 'read' || !covers(path, mount.path));
  });
  const mounts = arranged.filter((mount) => !links.some(([path]) => covers(path, mount.path)));
  return [...mounts, ...links.map(([path, to]): Mount => ({ kind: 'link', path, to }))];
}

/** A folder that is read inside of one that is read already. Each mount costs a quarter of a millisecond. */
function isRedundant(mount: Mount, before: readonly Mount[]): boolean {
  if (mount.kind !== 'read') return false;
  return mountAt(mount.path, before)?.kind === 'read';
}

/** The mount that decides about a path: the innermost one that covers it. */
export function mountAt(path: string, arranged: readonly Mount[]): Mount | undefined {
  return arranged.filter((mount) => covers(mount.path, path)).at(-1);
}

/** The options of bwrap for it. */
export function mountArguments(mount: Mount): string[] {
  switch (mount.kind) {
    case 'read':
      return ['--ro-bind', mount.path, mount.path];
    case 'write':
      return ['--bind', mount.path, mount.path];
    case 'private':
      return ['--size', String(mount.bytes), '--tmpfs', mount.path];
    case 'closed':
      return ['--ro-bind', '/dev/null', mount.path];
    case 'link':
      return ['--symlink', mount.to, mount.path];
  }
}
