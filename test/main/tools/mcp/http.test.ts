import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServerDefinition } from '../../../../src/main/tools/mcp/server';
import { startServers } from '../../../support/mcp';
import { type HttpBehaviour, startHttpServer } from '../../../support/mcp-http-server';
import { until } from '../../sandbox/helpers';
import { quietIo } from '../computer/helpers';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(behaviour: HttpBehaviour = {}, url?: string) {
  const http = await startHttpServer(behaviour);
  closing.push(http.close);
  const definition: ServerDefinition = {
    name: 'web',
    trustReadOnly: false,
    reach: { kind: 'http', url: url ?? http.url },
  };
  const servers = await startServers(definition);
  closing.push(servers.close);
  const call = async () => (await servers.tool('web_say').prepare('{}', servers.context)).execute(quietIo());
  const texts = () => servers.notices.map(({ text }) => text).join('\n');
  return { http, servers, call, texts };
}

describe('a server that is an address', () => {
  it('is called, with no credentials and no cookies', async () => {
    const { http, servers, call, texts } = await start();
    expect(servers.tool('web_say').keptBy).toBe('server');
    expect(await call()).toEqual({ content: 'said', isError: false });
    expect(texts()).toBe(`The MCP server web is connected with 1 tool: ${http.url}`);
    for (const { headers } of http.seen) {
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('cookie');
    }
  });

  it('cannot send us to another host', async () => {
    const other = await startHttpServer();
    closing.push(other.close);
    const { texts } = await start({
      before: (_, response) => {
        response.writeHead(307, { location: other.url }).end();
        return true;
      },
    });
    expect(texts()).toContain('is not used:');
    expect(other.seen).toEqual([]);
  });

  it.each<[string, HttpBehaviour, string]>([
    ['answers without an end', { call: (response) => pour(response, 'application/json') }, 'more than 8 MiB'],
    ['streams without an end', { call: (response) => pour(response, 'text/event-stream') }, 'more than 8 MiB'],
  ])('that %s is ended, and connected again', async (_, behaviour, why) => {
    const { call, texts } = await start(behaviour);
    expect(await call()).toMatchObject({ isError: true });
    await until(() => texts().includes('was started again'), 'it was connected again');
    expect(texts()).toContain(why);
  });

  it('that is gone gives an error result, and is looked for again', async () => {
    const { http, servers, call, texts } = await start();
    await http.close();
    expect(await call()).toMatchObject({ isError: true, content: expect.stringContaining('gave no answer') });
    await until(() => texts().includes('does not answer any more'), 'it was noticed');
    expect(servers.tools).toHaveLength(1);
  });
});

function pour(response: ServerResponse, type: string): null {
  response.writeHead(200, { 'content-type': type });
  const more = (): void => {
    while (response.writable && response.write('x'.repeat(65_536)));
    if (response.writable) response.once('drain', more);
  };
  more();
  return null;
}
