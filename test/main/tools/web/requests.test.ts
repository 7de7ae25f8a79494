import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../../src/main/tools/tool';
import { httpRequestTool } from '../../../../src/main/tools/web/http-request';
import { contextOf } from '../computer/helpers';
import { allow, fetchUrl, httpRequest, reach, site, told } from './helpers';

const prepare = (input: object) =>
  httpRequestTool(reach()).prepare(JSON.stringify({ url: 'https://api.example/v1', ...input }), contextOf('/ws'));

describe('http_request', () => {
  it('shows the whole request, and the decision is bound to all of it', async () => {
    const request = { method: 'PUT', headers: { 'X-Test': '1', Accept: 'text/plain' }, body: '{"a":1}' };
    const call = await prepare(request);
    expect(call.preview).toEqual({
      kind: 'arguments',
      rows: [
        { name: 'method', value: 'PUT' },
        { name: 'url', value: 'https://api.example/v1' },
        { name: 'headers', value: '{"X-Test":"1","Accept":"text/plain"}' },
        { name: 'body', value: '{"a":1}' },
      ],
    });
    expect(call.command).toEqual([
      'http_request',
      'PUT',
      'https://api.example/v1',
      'X-Test: 1',
      'Accept: text/plain',
      '{"a":1}',
    ]);
    const others = [
      { ...request, method: 'POST' },
      { ...request, url: 'https://api.example/v2' },
      { ...request, headers: { 'X-Test': '2', Accept: 'text/plain' } },
      { ...request, body: '{"a":2}' },
      { method: 'PUT', headers: request.headers },
    ];
    const bound = await Promise.all(others.map(async (other) => (await prepare(other)).bound.request));
    expect(new Set([call.bound.request, ...bound]).size).toBe(6);
    expect((await prepare(request)).bound).toEqual(call.bound);
  });

  it('sends exactly that, and what Sayso adds to every request', async () => {
    const own = await site((_, response) => response.writeHead(201, { ETag: '"1"' }).end('made'));
    const answer = await httpRequest(
      { url: `${own.url}items?q=ä`, method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'Grüße' },
      { allowed: allow(own) },
    );
    expect(told(answer)).toMatchObject({ status: 201, body: 'made', headers: { etag: '"1"' } });
    expect(own.heard).toEqual([
      {
        line: 'POST /items?q=%C3%A4',
        body: 'Grüße',
        headers: {
          host: `127.0.0.1:${own.port}`,
          connection: 'close',
          accept: '*/*',
          'accept-encoding': 'gzip, deflate, br',
          'content-length': '7',
          'content-type': 'text/plain',
          'user-agent': 'Sayso',
        },
      },
    ]);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('sends a %s', async (method) => {
    const own = await site((_, response) => response.end('text'));
    const answer = told(await httpRequest({ url: own.url, method }, { allowed: allow(own) }));
    expect(answer).toMatchObject({ status: 200, body: method === 'HEAD' ? '' : 'text' });
    expect(own.heard[0]?.line).toBe(`${method} /`);
  });

  it.each(['get', 'CONNECT', 'TRACE', 'BREW', '', 'GET / HTTP/1.1\r\nX: y\r\n\r\n'])(
    'does not know the method %j',
    async (method) => {
      await expect(prepare({ method })).rejects.toBeInstanceOf(ToolError);
    },
  );

  it.each([
    ['a line break', { X: 'a\r\nHost: internal' }, /line break/],
    ['a line feed', { X: 'a\nb' }, /line break/],
    ['a carriage return', { X: 'a\rb' }, /line break/],
    ['a NUL', { X: 'a\0b' }, /line break/],
    ['what is not ASCII', { X: 'č\u010a' }, /not ASCII/],
    ['white space at its end', { X: 'a ' }, /white space/],
    ['white space at its beginning', { X: '\ta' }, /white space/],
  ])('sends no header whose value holds %s', async (_, headers, why) => {
    await expect(prepare({ headers })).rejects.toThrow(why);
  });

  it.each([
    ['', /no name/],
    ['X Y', /no name/],
    ['X:', /no name/],
    ['X\r\nHost', /no name/],
    ['Content_Length', /no name/],
    ['Grüße', /no name/],
    ['Host', /set by Sayso/],
    ['hOsT', /set by Sayso/],
    ['Connection', /set by Sayso/],
    ['Keep-Alive', /set by Sayso/],
    ['Content-Length', /set by Sayso/],
    ['Transfer-Encoding', /set by Sayso/],
    ['TE', /set by Sayso/],
    ['Trailer', /set by Sayso/],
    ['Upgrade', /set by Sayso/],
    ['Expect', /set by Sayso/],
    ['HTTP2-Settings', /set by Sayso/],
    ['User-Agent', /set by Sayso/],
    ['Accept-Encoding', /set by Sayso/],
    ['Cookie', /no credentials/],
    ['COOKIE2', /no credentials/],
    ['Set-Cookie', /no credentials/],
    ['Authorization', /no credentials/],
    ['Proxy-Authorization', /no credentials/],
    ['Proxy-Connection', /no credentials/],
  ])('sends no header named %j', async (name, why) => {
    const text = `{"url":"https://api.example/","headers":{${JSON.stringify(name)}:"x"}}`;
    const prepared = httpRequestTool(reach()).prepare(text, contextOf('/ws'));
    await expect(prepared).rejects.toBeInstanceOf(ToolError);
    await expect(prepared).rejects.toThrow(why);
  });

  it('sends no header twice, not too many and not too long ones', async () => {
    await expect(prepare({ headers: { 'X-A': '1', 'x-a': '2' } })).rejects.toThrow('given twice');
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`X-${index}`, '']));
    await expect(prepare({ headers: many })).rejects.toThrow('at most 50');
    await expect(prepare({ headers: { X: 'x'.repeat(20_000) } })).rejects.toThrow('longer than');
  });

  it('sends no body where there is none, and none that nobody would read', async () => {
    for (const method of ['GET', 'HEAD']) await expect(prepare({ method, body: '' })).rejects.toThrow('has none');
    await expect(prepare({ body: 'x' })).rejects.toThrow('has none');
    await expect(prepare({ method: 'POST', body: 'ä'.repeat(600_000) })).rejects.toThrow('1200000 bytes');
  });
});

describe('fetch_url', () => {
  it('sends a GET and nothing of the machine', async () => {
    const own = await site((_, response) => response.end('text'));
    await fetchUrl(own.url, { allowed: allow(own) });
    expect(own.heard).toEqual([
      {
        line: 'GET /',
        body: '',
        headers: {
          host: `127.0.0.1:${own.port}`,
          connection: 'close',
          accept: '*/*',
          'accept-encoding': 'gzip, deflate, br',
          'user-agent': 'Sayso',
        },
      },
    ]);
  });
});

describe('the web tools', () => {
  it('tell the model what an agent file allows, so that another file makes other tools', () => {
    const allowed = [
      { host: 'localhost', port: 3_000 },
      { host: '10.0.0.7', port: null },
    ];
    expect(httpRequestTool(reach({ allowed })).description).toMatch(/except localhost:3000, 10\.0\.0\.7\.$/);
    expect(httpRequestTool(reach()).description).toMatch(/cannot be reached\.$/);
  });
});
