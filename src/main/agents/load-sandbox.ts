import type { AgentFile } from '@shared/agent-file';
import { hostProblem } from '../network/host-rules';
import { DEFAULT_LIMITS } from '../sandbox/policy';
import type { AgentSandbox } from './definition';

const MIB = 1024 ** 2;
const HTTPS = 443;

/**
 * What the key `sandbox` means, with every default filled in.
 * @param resolved makes a path of the file absolute. `protect` alone is relative to the workspace, not known here.
 */
export function sandboxOf(
  { sandbox: file, private_hosts: privateHosts }: Pick<AgentFile, 'sandbox' | 'private_hosts'>,
  resolved: (path: string) => string,
): AgentSandbox {
  const { require, network, accept, limits } = file;
  const bytes = (mebibytes: number | undefined, otherwise: number): number =>
    mebibytes === undefined ? otherwise : mebibytes * MIB;
  return {
    require,
    network: network === true,
    accept,
    policy: {
      network: typeof network === 'boolean' ? network : { hosts: network, privateHosts },
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

/** Hosts of the list that no command could reach, because they are not on the public internet, by their index. */
export function unreachableHosts({
  sandbox: { network },
  private_hosts: privateHosts,
}: Pick<AgentFile, 'sandbox' | 'private_hosts'>): { readonly index: number; readonly message: string }[] {
  if (typeof network === 'boolean') return [];
  return network.flatMap(({ host, port }, index) => {
    // What lies below a name is known when it is asked for.
    if (host.startsWith('*.')) return [];
    const problem = hostProblem({ host, port: port ?? HTTPS }, privateHosts);
    return problem === null ? [] : [{ index, message: problem }];
  });
}
