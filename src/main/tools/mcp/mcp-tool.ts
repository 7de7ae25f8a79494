import { createHash } from 'node:crypto';
import { canonicalJson } from '../../approvals/digest';
import { type ActionTool, ToolError } from '../tool';
import { reachInWords, ServerError, type ServerReach } from './server';
import type { ServerLink } from './server-link';
import { argumentRows, readArguments } from './tool-arguments';
import type { OfferedTool } from './tool-list';
import { toolResult } from './tool-result';

/** A tool of an MCP server as one of the run's. What is decided about is the server, the tool and every argument. */
export function mcpTool(
  link: ServerLink,
  { name, exposed, description, schema, dangerous, hash }: OfferedTool,
): ActionTool {
  const { server } = link;
  const shownServer = `${server.name}: ${reachInWords(server.reach)}`;
  return {
    kind: 'action',
    source: 'mcp',
    name: exposed,
    description,
    inputSchema: schema.shown,
    tags: [],
    dangerous,
    keptBy: server.reach.kind === 'stdio' ? 'server-sandbox' : 'server',
    async prepare(inputText, { workspace }) {
      const input = readArguments(inputText);
      const wrong = schema.check(input);
      if (wrong !== null) throw new ToolError(`Wrong arguments for ${exposed}: ${wrong}.`);
      await link.check(name).catch((error: unknown) => {
        throw error instanceof ServerError ? new ToolError(inWords(server.name, error)) : error;
      });
      return {
        preview: argumentRows(shownServer, name, input),
        command: [exposed, JSON.stringify(input)],
        cwd: workspace,
        bound: { [`MCP server ${server.name}`]: reachHash(server.reach), [`MCP tool ${name}`]: hash },
        program: null,
        async execute(io) {
          io.signal.throwIfAborted();
          try {
            return toolResult(await link.call(name, input, io));
          } catch (error) {
            if (!(error instanceof ServerError)) throw error;
            return { content: inWords(server.name, error), isError: true };
          }
        },
      };
    },
  };
}

const inWords = (server: string, error: ServerError): string => `The MCP server ${server} ${error.message}.`;

const reachHash = (reach: ServerReach): string => createHash('sha256').update(canonicalJson(reach)).digest('hex');
