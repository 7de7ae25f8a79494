import { z } from 'zod';
import { NetworkHosts } from './agent-hosts';
import { TIER_NAMES } from './states';

/** What has to hold for a run to start. `process` is what every system offers. */
export const SandboxRequirement = z.enum(['none', 'process', 'confined']);
export type SandboxRequirement = z.infer<typeof SandboxRequirement>;

const SandboxPath = z
  .string()
  .min(1, 'empty')
  .regex(/^[^\0]*$/, 'holds a NUL');

/** A path in the workspace, or an absolute one. */
const ProtectedPath = SandboxPath.refine((path) => !path.split(/[/\\]/).includes('..'), 'must not go up with ".."');

/** The key `sandbox` of an agent file. Sizes are in MiB. */
export const AgentSandboxKeys = z
  .strictObject({
    require: SandboxRequirement.default('none'),
    network: NetworkHosts,
    read: z.array(SandboxPath).default([]),
    write: z.array(SandboxPath).default([]),
    protect: z.array(ProtectedPath).default([]),
    accept: z.array(z.enum(TIER_NAMES)).default([]),
    limits: z
      .strictObject({
        cpuSeconds: z.number().int().min(1).max(1_000_000).optional(),
        memoryMb: z.number().int().min(64).max(10_000_000).optional(),
        processes: z.number().int().min(8).max(1_000_000).optional(),
        fileMb: z.number().int().min(1).max(10_000_000).optional(),
        openFiles: z.number().int().min(32).max(1_000_000).optional(),
      })
      .prefault({}),
  })
  .prefault({});
