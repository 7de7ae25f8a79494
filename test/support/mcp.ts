import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../src/main/sandbox/process';
import { createProcessTier } from '../../src/main/sandbox/process-tier';
import type { ServerNotice } from '../../src/main/tools/mcp/notices';
import type { ServerDefinition } from '../../src/main/tools/mcp/server';
import { RunServers } from '../../src/main/tools/mcp/servers';
import type { ActionTool } from '../../src/main/tools/tool';

const SCRIPT = join(import.meta.dirname, 'mcp-server.mjs');
const FILES = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

export function stdio(name: string, argv: readonly [string, ...string[]], trustReadOnly: boolean): ServerDefinition {
  return { name, trustReadOnly, reach: { kind: 'stdio', argv } };
}

/** A server of ours that behaves as it is told to. */
export const behaving = (behaviour: string, ...rest: string[]): ServerDefinition =>
  stdio(behaviour, [process.execPath, SCRIPT, behaviour, ...rest], false);

/** The same, and the agent file trusts what it says of itself. */
export const trusted = (behaviour: string, ...rest: string[]): ServerDefinition => ({
  ...behaving(behaviour, ...rest),
  trustReadOnly: true,
});

/** The reference filesystem server, as it comes from npm. */
export const fileServer = (): ServerDefinition => stdio('files', [process.execPath, FILES, '.'], true);

/** Servers as a run has them, in a workspace and a sandbox of their own. */
export const startServers = (...definitions: readonly ServerDefinition[]) =>
  startServersIn(createProcessTier(randomUUID()), ...definitions);

export async function startServersIn(sandbox: Sandbox, ...definitions: readonly ServerDefinition[]) {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'sayso-mcp-')));
  const environment = { PATH: process.env.PATH ?? '', SAYSO: '1' };
  const servers = await RunServers.start(definitions, { workspace, sandbox, environment });
  const tools = servers.tools.map(({ tool }) => tool);
  const notices: ServerNotice[] = [];
  servers.attach((notice) => notices.push(notice));
  const tool = (name: string): ActionTool => {
    const found = tools.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`there is no tool ${name}: ${notices.map(({ text }) => text).join(' ')}`);
    return found;
  };
  const close = async () => {
    await servers.close();
    await rm(workspace, { recursive: true, force: true });
  };
  const context = { workspace, sandbox, environment, toolTimeoutMs: 10_000 };
  return { servers, tools, tool, notices, context, workspace, close };
}
export type Servers = Awaited<ReturnType<typeof startServers>>;
