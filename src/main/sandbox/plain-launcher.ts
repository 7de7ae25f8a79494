import type { Launcher, Owner } from './launch';
import type { ProcessSpec } from './process';
import { processTable } from './process-table';
import { ProcessTree } from './process-tree';
import { WindowsTree } from './windows-tree';

/**
 * Starts the command itself, as it is.
 * @param program the absolute path of what to start; the child still sees the name that it was called by.
 * @param mark `NAME=value` in the environment that tells the tree.
 */
export function plainLauncher(spec: ProcessSpec, program: string, mark: string, owner: Owner | null): Launcher {
  return {
    async plan({ pipe }) {
      const table = processTable();
      const before = (await table?.pids()) ?? new Set<number>();
      const { argv, cwd, environment } = spec;
      return {
        launch: {
          prepare: [],
          file: program,
          argv0: argv[0],
          args: argv.slice(1),
          cwd,
          environment,
          owner,
          reads: 0,
          reports: false,
          channel: false,
        },
        feeds: async () => [],
        tree: ({ pid }) =>
          table === null ? new WindowsTree(pid) : new ProcessTree(table, { environment: mark, pipe }, { pid, before }),
      };
    },
  };
}
