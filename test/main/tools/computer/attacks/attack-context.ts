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
  const context = contextFor(join(top, 'ws'), policy);
  return { ...context, sandbox: { ...context.sandbox, hidden: [join(top, 'ws/app-data')] } };
}

/** A run in a workspace. */
export function contextFor(workspace: string, policy = DEFAULT_POLICY): ToolContext {
  const sandbox = confine(createProcessTier('attacks'), policy, { require: 'none', network: false, accept: [] });
  return { workspace, sandbox, environment: { PATH: '/usr/bin:/bin' }, toolTimeoutMs: 60_000 };
}

export const quietIo = (): ToolIo => ({
  signal: new AbortController().signal,
  onOutput: () => undefined,
  confirm: async () => false,
  ask: async () => ({ outcome: 'no-operator', by: 'app' }),
});
