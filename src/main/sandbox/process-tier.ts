import type { SandboxTier } from '@shared/states';
import { openProcess } from './open-process';
import { plainLauncher } from './plain-launcher';
import type { Sandbox } from './process';
import { type Command, runCommand } from './run-command';

export const PROCESS_TIER: SandboxTier = {
  name: 'process',
  label: 'process only',
  files: 'not-enforced',
  network: 'not-enforced',
  processes: 'not-enforced',
  privileges: 'not-enforced',
};

/**
 * The tier without confinement: a command gets its environment, its folder and its own process group, and its whole
 * tree ends with it; nothing keeps it from files or the network. A process that means to escape the end can (by
 * clearing its environment, leaving its session and its parent and closing its output, all between two looks), so
 * nothing is called enforced.
 * @param instanceId stable for one data folder, so that the next start of the app finds what a crash left.
 * @param notes for the operator: why it is this tier.
 */
export function createProcessTier(instanceId: string, notes: readonly string[] = []): Sandbox {
  return {
    tier: notes.length === 0 ? PROCESS_TIER : { ...PROCESS_TIER, notes: [...notes] },
    run: (spec, io) => runCommand(instanceId, spec, io, launcher),
    open: (spec) => openProcess(instanceId, spec, launcher),
  };
}

const launcher = ({ spec, program, mark, owner }: Command) => plainLauncher(spec, program, mark, owner);
