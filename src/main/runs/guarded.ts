import { agentFilesIn } from '../agents/files-in';
import type { Watched } from '../agents/watch';
import type { SandboxPolicy } from '../sandbox/policy';
import { repositoriesBelow } from '../sandbox/reach/nested';

/** What in the folders that a run can write is the operator's, besides what is protected by its name. */
export interface Guarded {
  readonly policy: Pick<SandboxPolicy, 'own' | 'repositories'>;
  /** What is not, and the operator may think that it is. */
  readonly warnings: readonly string[];
}

/**
 * Looks for agent files, and for repositories that were there before the run's session.
 * @param writable the workspace first
 * @param since when it began there, in milliseconds since the epoch
 */
export async function guardedIn(
  writable: readonly [workspace: string, ...beyond: string[]],
  agents: Watched,
  since: number,
): Promise<Guarded> {
  const [own, { roots, isCut }] = await Promise.all([
    agentFilesIn(writable, agents),
    repositoriesBelow(writable, since),
  ]);
  return {
    policy: {
      ...(own.length === 0 ? {} : { own }),
      ...(roots.length === 0 ? {} : { repositories: roots }),
    },
    warnings: isCut
      ? [
          `There are more than ${roots.length} repositories below ${writable[0]}: in the others, the run can change what git starts. Choose a smaller folder.`,
        ]
      : [],
  };
}
