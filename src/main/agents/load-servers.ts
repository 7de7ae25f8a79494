import type { AgentFile } from '@shared/agent-file';
import type { ServerDefinition, ServerReach } from '../tools/mcp/server';
import type { Placed } from './definition';
import { type AgentPlace, resolvePath } from './load-applications';

/** The MCP servers that an agent file names. Nothing is started. */
export function serversOf(file: AgentFile, at: AgentPlace): readonly Placed<ServerDefinition>[] {
  return file.mcp.map((server, index) => ({
    value: { name: server.name, trustReadOnly: server.trust_read_only, reach: reachOf(server, at) },
    place: at.source.placeOf(['mcp', index]),
  }));
}

/** The program alone is a path of the file's; what follows it is the server's own, and relative to the workspace. */
function reachOf({ command, url }: AgentFile['mcp'][number], { folder, home }: AgentPlace): ServerReach {
  if (command === undefined) return { kind: 'http', url: url ?? '' };
  const [program = '', ...rest] = command;
  const isPath = /[/\\]/.test(program) || program.startsWith('~');
  return { kind: 'stdio', argv: [isPath ? resolvePath(program, folder, home) : program, ...rest] };
}
