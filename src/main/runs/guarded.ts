import { agentFilesIn } from '../agents/files-in';
import type { Watched } from '../agents/watch';
import type { SandboxPolicy } from '../sandbox/policy';
import { repositoriesBelow, repositoriesFromAbove } from '../sandbox/reach/nested';
import { Unseen } from '../sandbox/reach/unseen';

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
  const [own, { roots: below, isCut }, above] = await Promise.all([
    agentFilesIn(writable, agents),
    repositoriesBelow(writable, since),
    repositoriesFromAbove(writable).catch((error: unknown) => {
      if (error instanceof Unseen) return error;
      throw error;
    }),
  ]);
  const roots = [...new Set([...below, ...(above instanceof Unseen ? [] : above)])];
  return {
    policy: {
      ...(own.length === 0 ? {} : { own }),
      ...(roots.length === 0 ? {} : { repositories: roots }),
    },
    warnings: [
      ...(isCut
        ? [
            `There are more than ${below.length} repositories below ${writable[0]}: in the others, the run can change what git starts. Choose a smaller folder.`,
          ]
        : []),
      ...(above instanceof Unseen ? [`The run can change what git starts here: ${above.message}.`] : []),
    ],
  };
}
