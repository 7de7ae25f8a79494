import { join } from 'node:path';
import { confine, DEFAULT_POLICY } from '../../../../../src/main/sandbox/policy';
import { createProcessTier } from '../../../../../src/main/sandbox/process-tier';
import type { ToolContext, ToolIo } from '../../../../../src/main/tools/tool';

/** A run in the world of world.ts, made in `top`. */
export function attackContext(top: string): ToolContext {
  const policy = {
    ...DEFAULT_POLICY,
    read: [join(top, 'readable')],
    write: [join(top, 'opened')],
    protect: ['kept', join(top, 'opened/kept')],
  };
  const sandbox = confine(createProcessTier('attacks'), policy, { require: 'none', network: false, accept: [] });
  return {
    workspace: join(top, 'ws'),
    sandbox: { ...sandbox, hidden: [join(top, 'ws/app-data')] },
    environment: { PATH: '/usr/bin:/bin' },
    toolTimeoutMs: 60_000,
  };
}

export const quietIo = (): ToolIo => ({
  signal: new AbortController().signal,
  onOutput: () => undefined,
  confirm: async () => false,
  ask: async () => ({ outcome: 'no-operator', by: 'app' }),
});
