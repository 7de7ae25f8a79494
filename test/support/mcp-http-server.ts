import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly name?: string };
}

export interface HttpBehaviour {
  /** Answers a call; what it returns is the result. */
  readonly call?: (response: ServerResponse) => object | null;
  /** Before anything else; true: it has answered. */
  readonly before?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** An MCP server over streamable HTTP on this machine, written by hand so that it can do what none should. */
export async function startHttpServer(behaviour: HttpBehaviour = {}) {
  const seen: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    if (behaviour.before?.(request, response) === true) return;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message: Message = JSON.parse(text);
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = answer(message, behaviour, response);
    if (result === null) return;
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'a=b' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/mcp`, seen, close };
}

function answer(message: Message, behaviour: HttpBehaviour, response: ServerResponse): object | null {
  switch (message.method) {
    case 'initialize':
      return {
        protocolVersion: message.params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'http', version: '1' },
      };
    case 'tools/list':
      return { tools: [{ name: 'say', inputSchema: { type: 'object' } }] };
    case 'tools/call':
      return behaviour.call ? behaviour.call(response) : { content: [{ type: 'text', text: 'said' }] };
    default:
      return {};
  }
}
