import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { covers } from '../../sandbox/paths';
import { DEFAULT_POLICY, type SandboxPolicy } from '../../sandbox/policy';
import { placeBehindLinks } from '../../sandbox/reach/behind-links';
import { findOpenings } from '../../sandbox/reach/openings';
import { type Guard, protectedPaths } from '../../sandbox/reach/protected';
import { repositoriesIn } from '../../sandbox/reach/repositories';
import { Unseen } from '../../sandbox/reach/unseen';
import { environmentVariants } from '../../sandbox/reach/variants';
import { type ToolContext, ToolError } from '../tool';

/** Protected paths, with the key of the agent file that names them, where one does. */
export interface FoundGuard extends Guard {
  readonly keys: ReadonlyMap<string, 'sandbox.protect' | 'sandbox.read'>;
}

/** What the file tools of a run may do where: the same that the sandbox lets its commands do. */
export interface FileRules {
  /** A real path. It can be read and written. */
  readonly workspace: string;
  /** Real paths beyond the workspace. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Real paths that nothing of a run gets to see. */
  readonly hidden: readonly string[];
  /** What in all of this is never writable. Looked at once, for those who write. @throws ToolError where it cannot be told */
  readonly guard: () => Promise<FoundGuard>;
  /** A path as the operator is shown it. */
  readonly show: (place: string) => string;
}

/** The rules as they are now: what the agent file names may have appeared, or be another thing, since the last call. */
export async function fileRules({
  workspace,
  sandbox,
}: Pick<ToolContext, 'workspace' | 'sandbox'>): Promise<FileRules> {
  const policy = sandbox.policy ?? DEFAULT_POLICY;
  const { read, write, keep } = await findOpenings(workspace, policy);
  let guard: Promise<FoundGuard> | null = null;
  return {
    workspace,
    read,
    write,
    hidden: sandbox.hidden ?? [],
    guard: () => {
      guard ??= findGuard([workspace, ...write], policy, keep).catch((error: unknown) => {
        throw error instanceof Unseen ? new ToolError(`Nothing was done: ${error.message}.`) : error;
      });
      return guard;
    },
    show: (place) => (covers(workspace, place) ? relative(workspace, place) || '.' : place),
  };
}

async function findGuard(
  writable: readonly [workspace: string, ...beyond: string[]],
  { protect, own = [], repositories: nested = [] }: Pick<SandboxPolicy, 'protect' | 'own' | 'repositories'>,
  keep: readonly string[],
): Promise<FoundGuard> {
  const [workspace] = writable;
  const more = new Map([
    ...keep.map((path) => [path, 'sandbox.read'] as const),
    ...protect.map((path) => [resolve(workspace, path), 'sandbox.protect'] as const),
  ]);
  const [variants, repositories] = await Promise.all([
    environmentVariants(workspace),
    repositoriesIn(writable, nested),
  ]);
  const keys = new Map(more);
  const paths = new Set<string>();
  // A command writes an index with git, and is looked after meanwhile; a tool has no use for one.
  const indexes = [...repositories.values()].flatMap(({ versions }) => [...versions.keys()]);
  const named = protectedPaths(workspace, repositories.values(), [...more.keys(), ...own]);
  for (const path of [...named, ...variants, ...indexes]) {
    const real = await realpath(path).catch(() => placeBehindLinks(path));
    paths.add(path);
    if (real === null) continue;
    paths.add(real);
    const key = more.get(path);
    if (key !== undefined) keys.set(real, key);
  }
  return { workspace, paths: [...paths], keys };
}

/** Whether a place is what nothing of a run gets to see, or lies in it. */
export const isHidden = ({ hidden }: FileRules, place: string): boolean =>
  hidden.some((folder) => covers(folder, place));

/** The folders that a place can be written in, the workspace first. */
export const writable = ({ workspace, write }: FileRules): string[] => [workspace, ...write];
