import type { AgentFile } from '@shared/agent-file';
import { DEFAULT_LIMITS } from '../sandbox/policy';
import type { AgentSandbox } from './definition';

const MIB = 1024 ** 2;

/**
 * What the key `sandbox` means, with every default filled in.
 * @param resolved makes a path of the file absolute. `protect` alone is relative to the workspace, not known here.
 */
export function sandboxOf(file: AgentFile['sandbox'], resolved: (path: string) => string): AgentSandbox {
  const { require, network, accept, limits } = file;
  const bytes = (mebibytes: number | undefined, otherwise: number): number =>
    mebibytes === undefined ? otherwise : mebibytes * MIB;
  return {
    require,
    network,
    accept,
    policy: {
      network,
      read: file.read.map(resolved),
      write: file.write.map(resolved),
      protect: file.protect.map((path) => (path.startsWith('~') ? resolved(path) : path)),
      limits: {
        cpuSeconds: limits.cpuSeconds ?? DEFAULT_LIMITS.cpuSeconds,
        memoryBytes: bytes(limits.memoryMb, DEFAULT_LIMITS.memoryBytes),
        processes: limits.processes ?? DEFAULT_LIMITS.processes,
        fileBytes: bytes(limits.fileMb, DEFAULT_LIMITS.fileBytes),
        openFiles: limits.openFiles ?? DEFAULT_LIMITS.openFiles,
      },
    },
  };
}
