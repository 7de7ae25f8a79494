import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { createProcessTier } from '../../../../src/main/sandbox/process-tier';
import { computerTools } from '../../../../src/main/tools/registry';
import type { PreparedCall, ToolContext, ToolIo, ToolOutput } from '../../../../src/main/tools/tool';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A real folder of its own, gone after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-tools-')));
  folders.push(folder);
  return folder;
}

export function contextOf(workspace: string, over: Partial<ToolContext> = {}): ToolContext {
  return {
    workspace,
    sandbox: createProcessTier(randomUUID()),
    environment: { PATH: process.env.PATH ?? '', SAYSO: '1' },
    toolTimeoutMs: 60_000,
    ...over,
  };
}

export const quietIo = (over: Partial<ToolIo> = {}): ToolIo => ({
  signal: new AbortController().signal,
  onOutput: () => undefined,
  confirm: async () => false,
  ask: async () => ({ outcome: 'no-operator', by: 'app' }),
  ...over,
});

/** Prepares a call of a built-in tool. */
export async function prepare(context: ToolContext, name: string, input: unknown): Promise<PreparedCall> {
  const tool = computerTools().find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool.prepare(typeof input === 'string' ? input : JSON.stringify(input), context);
}

/** Prepares and executes a call, as if nobody had anything against it. */
export async function call(context: ToolContext, name: string, input: unknown, io = quietIo()): Promise<ToolOutput> {
  return (await prepare(context, name, input)).execute(io);
}
