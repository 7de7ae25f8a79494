import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { AllowedHost } from '@shared/agent-hosts';
import { afterEach } from 'vitest';
import type { Resolver } from '../../../../src/main/network/look-up';
import type { ActionTool, ToolIo, ToolOutput } from '../../../../src/main/tools/tool';
import { fetchUrlTool } from '../../../../src/main/tools/web/fetch-url';
import { httpRequestTool } from '../../../../src/main/tools/web/http-request';
import type { WebLimits, WebReach } from '../../../../src/main/tools/web/reach';
import { contextOf, quietIo } from '../computer/helpers';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

export interface Site {
  readonly port: number;
  /** On 127.0.0.1. */
  readonly url: string;
  /** Method, path and headers of every request that came. */
  readonly heard: { readonly line: string; readonly headers: NodeJS.Dict<string | string[]>; body: string }[];
}

/** A real server on this machine, for one test. */
export async function site(listener: RequestListener): Promise<Site> {
  const heard: Site['heard'] = [];
  const server = createServer((request, response) => {
    const one = { line: `${request.method} ${request.url}`, headers: request.headers, body: '' };
    heard.push(one);
    request.setEncoding('utf8').on('data', (text: string) => {
      one.body += text;
    });
    request.on('end', () => listener(request, response));
  });
  const port = await listening(server);
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port, url: `http://127.0.0.1:${port}/`, heard };
}

export function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** To be done after the test. */
export function afterwards(end: () => Promise<unknown>): void {
  ends.push(end);
}

const neverResolved: Resolver = async (name) => {
  throw new Error(`${name} was looked up`);
};

export interface Reach {
  readonly allowed?: readonly AllowedHost[];
  readonly resolve?: Resolver;
  readonly limits?: Partial<WebLimits>;
}

export function reach({ allowed = [], resolve = neverResolved, limits }: Reach = {}): WebReach {
  return { allowed, resolve, limits: { connectMs: 5_000, totalMs: 10_000, bodyBytes: 1_048_576, ...limits } };
}

/** The hosts of sites on 127.0.0.1. */
export const allow = (...sites: Site[]): AllowedHost[] => sites.map(({ port }) => ({ host: '127.0.0.1', port }));

async function call(tool: ActionTool, input: unknown, io: ToolIo): Promise<ToolOutput> {
  return (await tool.prepare(JSON.stringify(input), contextOf('/ws'))).execute(io);
}

export function fetchUrl(url: string, over?: Reach, io = quietIo()): Promise<ToolOutput> {
  return call(fetchUrlTool(reach(over)), { url }, io);
}

export function httpRequest(input: object, over?: Reach, io = quietIo()): Promise<ToolOutput> {
  return call(httpRequestTool(reach(over)), input, io);
}

/** What the model was told of an answer. */
export function told({ content, isError }: ToolOutput): Record<string, unknown> {
  if (isError) throw new Error(content);
  return JSON.parse(content) as Record<string, unknown>;
}
