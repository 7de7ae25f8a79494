import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../../src/main/tools/tool';
import { fetchUrlTool } from '../../../../src/main/tools/web/fetch-url';
import { httpRequestTool } from '../../../../src/main/tools/web/http-request';
import { contextOf } from '../computer/helpers';
import { reach } from './helpers';

/** Refused before a name is looked up and before anybody is asked. */
const REFUSED: readonly (readonly [url: string, why: RegExp])[] = [
  ['http://127.0.0.1/', /127\.0\.0\.1 is an address of this machine.*private_hosts/],
  ['http://127.0.0.1:8080/', /lists 127\.0\.0\.1:8080 under private_hosts/],
  ['http://127.255.255.254/', /this machine/],
  ['http://0.0.0.0/', /reserved/],
  ['http://10.1.2.3/', /private/],
  ['http://172.16.0.1/', /private/],
  ['http://192.168.1.1/', /private/],
  ['http://100.64.0.1/', /provider/],
  ['http://169.254.1.1/', /link-local/],
  ['http://169.254.169.254/latest/meta-data/', /credentials/],
  ['http://168.63.129.16/', /credentials/],
  ['http://100.100.100.200/', /credentials/],
  ['http://192.0.2.1/', /reserved/],
  ['http://224.0.0.1/', /multicast/],
  ['http://255.255.255.255/', /reserved/],
  ['http://[::1]/', /::1 is an address of this machine/],
  ['http://[::]/', /reserved/],
  ['http://[fe80::1]/', /link-local/],
  ['http://[fd00::1]/', /private/],
  ['http://[fd00:ec2::254]/', /credentials/],
  ['http://[ff02::1]/', /multicast/],
  ['http://[::ffff:7f00:1]/', /stands for an IPv4 one/],
  ['http://[64:ff9b::7f00:1]/', /stands for an IPv4 one/],
  ['http://[2002:7f00:1::]/', /stands for an IPv4 one/],
  ['http://[2001:db8::1]/', /reserved/],
  // Other spellings of the same addresses.
  ['http://2130706433/', /it means 127\.0\.0\.1/],
  ['http://0x7f000001/', /it means 127\.0\.0\.1/],
  ['http://0x7f.0.0.1/', /it means 127\.0\.0\.1/],
  ['http://0177.0.0.1/', /it means 127\.0\.0\.1/],
  ['http://017700000001/', /it means 127\.0\.0\.1/],
  ['http://127.1/', /it means 127\.0\.0\.1/],
  ['http://127.0.1/', /it means 127\.0\.0\.1/],
  ['http://0/', /it means 0\.0\.0\.0/],
  ['http://127.0.0.1./', /it means 127\.0\.0\.1/],
  ['http://127.0.0.01/', /it means 127\.0\.0\.1/],
  ['http://0xa9fea9fe/', /it means 169\.254\.169\.254/],
  ['http://1.1.1.1%2e/', /it means 1\.1\.1\.1/],
  ['http://%31%32%37.0.0.1/', /it means 127\.0\.0\.1/],
  ['http://１２７.0.0.1/', /it means 127\.0\.0\.1/],
  ['http://①②⑦.⓪.⓪.①/', /it means 127\.0\.0\.1/],
  ['http://127。0。0。1/', /it means 127\.0\.0\.1/],
  ['http://[0:0:0:0:0:0:0:1]/', /it means \[::1\]/],
  ['http://[::ffff:127.0.0.1]/', /it means \[::ffff:7f00:1\]/],
  ['http://[::127.0.0.1]/', /it means \[::7f00:1\]/],
  ['http://256.1.1.1/', /not a URL/],
  ['http://1.2.3.4.5/', /not a URL/],
  ['http://[fe80::1%25lo]/', /not a URL/],
  // Names.
  ['http://localhost/', /localhost is not a name of the public internet/],
  ['http://LOCALHOST:3000/', /localhost is not a name/],
  ['http://localhost./', /ends with a dot/],
  ['http://example.com./', /ends with a dot/],
  ['http://a.localhost/', /not a name of the public internet/],
  ['http://printer.local/', /not a name of the public internet/],
  ['http://metadata.google.internal/', /not a name of the public internet/],
  ['http://intranet/', /not a name of the public internet/],
  ['http://ⓛocalhost/', /it means localhost/],
  ['http://loc\u00adalhost/', /invisible/],
  ['http://\u0430pple.com/', /it means xn--pple-43d\.com/],
  ['http://exam\u3002ple.com/', /it means exam\.ple\.com/],
  ['http://exa%6dple.com/', /it means example\.com/],
  // Everything else that may be misread.
  ['http://user@example.com/', /no credentials/],
  ['http://user:password@example.com/', /no credentials/],
  ['http://@example.com/', /no credentials/],
  ['http://example.com:80@127.0.0.1/', /no credentials/],
  ['http://example.com\\@127.0.0.1/', /backslash/],
  ['http://example.com /', /space/],
  [' http://example.com/', /space/],
  ['http://exam\nple.com/', /space/],
  ['http://exam\tple.com/', /space/],
  ['http://example.com/\u202e', /invisible/],
  ['http:example.com', /begin with/],
  ['http:/example.com', /begin with/],
  ['//example.com/', /begin with/],
  ['example.com', /begin with/],
  ['file:///etc/passwd', /begin with/],
  ['ftp://example.com/', /begin with/],
  ['data:text/plain,x', /begin with/],
  ['http:///example.com/', /host is not written plainly/],
  ['http://', /not a URL/],
  ['http://example.com:65536/', /not a URL/],
  ['http://example.com:25/', /port 25/],
  ['http://1.1.1.1:22/', /port 22/],
  [`http://example.com/${'a'.repeat(9_000)}`, /longer than/],
];

/** May be asked for; the second is what is shown and sent. */
const ACCEPTED: readonly (readonly [url: string, shown: string])[] = [
  ['http://example.com', 'http://example.com/'],
  ['HTTPS://Example.COM/A?b=C#d', 'https://example.com/A?b=C'],
  ['https://example.com:443/', 'https://example.com/'],
  ['https://example.com:8443/', 'https://example.com:8443/'],
  ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
  ['https://example.com/Käse', 'https://example.com/K%C3%A4se'],
  ['https://example.com/a/../b', 'https://example.com/b'],
  ['http://1.1.1.1/', 'http://1.1.1.1/'],
  ['http://[2606:4700:4700::1111]/', 'http://[2606:4700:4700::1111]/'],
  ['http://localhost.example.com/', 'http://localhost.example.com/'],
];

const tools = [fetchUrlTool(reach()), httpRequestTool(reach())];
const prepare = (tool: (typeof tools)[number], url: string) => tool.prepare(JSON.stringify({ url }), contextOf('/ws'));

describe('an address that a model writes', () => {
  it.each(REFUSED)('%j is refused', async (url, why) => {
    for (const tool of tools) {
      const error = await prepare(tool, url).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ToolError);
      expect(String(error)).toMatch(why);
    }
  });

  it.each(ACCEPTED)('%j is shown as it will be sent: %s', async (url, shown) => {
    for (const tool of tools) {
      const { preview } = await prepare(tool, url);
      if (preview.kind !== 'arguments') throw new Error('not the arguments');
      expect(preview.rows.find(({ name }) => name === 'url')?.value).toBe(shown);
    }
  });

  it.each([
    ['http://localhost:3000/', true],
    ['http://localhost/', false],
    ['http://localhost:3001/', false],
    ['http://127.0.0.1:3000/', false],
    ['http://a.localhost:3000/', false],
    ['http://127.1:3000/', false],
    ['http://10.0.0.7/', true],
    ['https://10.0.0.7/', true],
    ['http://10.0.0.7:8080/', false],
    ['http://10.0.0.8/', false],
    ['http://[::1]:25/', true],
  ])('%s is allowed by the agent file: %s', async (url, allowed) => {
    const hosts = [
      { host: 'localhost', port: 3_000 },
      { host: '10.0.0.7', port: null },
      { host: '[::1]', port: 25 },
    ];
    const call = prepare(fetchUrlTool(reach({ allowed: hosts })), url);
    if (allowed) await call;
    else await expect(call).rejects.toBeInstanceOf(ToolError);
  });
});
