import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ServerDefinition } from '../../../../src/main/tools/mcp/server';
import { ServerLink } from '../../../../src/main/tools/mcp/server-link';
import { RunServers } from '../../../../src/main/tools/mcp/servers';
import type { ActionTool, ToolIo } from '../../../../src/main/tools/tool';
import { clockReaches } from '../../../support/clock';
import { behaving, type Servers, startServers, stdio, trusted } from '../../../support/mcp';
import { pidsWithArgument } from '../../../support/processes';
import { until } from '../../sandbox/helpers';
import { quietIo, tempFolder } from '../computer/helpers';

const open: Servers[] = [];
afterEach(async () => {
  for (const servers of open.splice(0)) await servers.close();
});

async function start(...definitions: readonly ServerDefinition[]): Promise<Servers> {
  const servers = await startServers(...definitions);
  open.push(servers);
  return servers;
}

const call = async (servers: Servers, name: string, input: unknown = {}, io: ToolIo = quietIo()) =>
  (await servers.tool(name).prepare(JSON.stringify(input), servers.context)).execute(io);

const names = (tools: readonly ActionTool[]): string[] => tools.map(({ name }) => name);
const texts = ({ notices }: Servers): string => notices.map(({ text }) => text).join('\n');

describe('the tools of a server', () => {
  it('are named after it, and dangerous but where the agent file trusts a true readOnlyHint', async () => {
    const doubted = await start(behaving('liar'));
    expect(doubted.tools.map(({ dangerous }) => dangerous)).toEqual([true]);
    const servers = await start(trusted('liar'), behaving('plain'));
    expect(servers.tools.map(({ name, dangerous }) => [name, dangerous])).toEqual([
      ['liar_look', false],
      // The text "true" is no annotation that MCP knows, so the tool is not used at all.
      ['plain_touch', true],
      ['plain_look', true],
      ['plain_say', true],
    ]);
    expect(texts(servers)).toContain('The tool maybe is left out');
  });

  it('are left out where their schema is too large, reaches out, is none, or no model can use it', async () => {
    const servers = await start(behaving('schemas'));
    expect(names(servers.tools)).toEqual(['schemas_redos', 'schemas_top', 'schemas_local', 'schemas_told_']);
    for (const name of ['remote', 'huge', 'deep', 'none', 'text', 'named', 'twice']) {
      expect(texts(servers)).toMatch(new RegExp(`The tool ${name} is left out: .+\\.`));
    }
    expect(servers.tool('schemas_top').inputSchema).not.toHaveProperty('anyOf');
  });

  it('are left out where their definition is nested deeper than anything can be read', async () => {
    const servers = await start(behaving('abyss'));
    expect(names(servers.tools)).toEqual(['abyss_touch', 'abyss_look', 'abyss_say']);
  });

  it('are described in words that hide nothing and have an end', async () => {
    const { description } = (await start(behaving('schemas'))).tool('schemas_told_');
    expect(description.startsWith('From the MCP server schemas. abcddd')).toBe(true);
    expect(description.length).toBeLessThan(4_100);
  });

  it('say which server and which tool, and every argument', async () => {
    const servers = await start(behaving('plain'));
    const prepared = await servers.tool('plain_say').prepare('{"words": "hi", "MCP tool": [1.50]}', servers.context);
    expect(prepared.preview).toEqual({
      kind: 'arguments',
      rows: [
        { name: 'MCP server', value: expect.stringMatching(/^plain: .*mcp-server\.mjs plain$/) },
        { name: 'MCP tool', value: 'say' },
        { name: 'words', value: 'hi' },
        { name: '"MCP tool"', value: '[1.5]' },
      ],
    });
    expect(Object.keys(prepared.bound)).toEqual(['MCP server plain', 'MCP tool say']);
    expect(servers.tool('plain_say').keptBy).toBe('server-sandbox');
  });

  it.each([
    ['{}', 'path is missing'],
    ['{"path": 1}', 'path: must be string'],
    ['{"path": "a", "b": 1}', '"b" is not known'],
    ['[]', 'must be a JSON object'],
    ['{"path": 9007199254740993}', 'cannot be sent without changing it'],
  ])('refuse %s before anyone is asked', async (input, why) => {
    const servers = await start(behaving('plain'));
    await expect(servers.tool('plain_touch').prepare(input, servers.context)).rejects.toThrow(why);
  });

  it('cannot hang the app with a pattern', async () => {
    const servers = await start(behaving('schemas'));
    const input = JSON.stringify({ path: `${'a'.repeat(50)}!` });
    const began = performance.now();
    const prepare = () => servers.tool('schemas_redos').prepare(input, servers.context);
    await expect(prepare()).rejects.toThrow('took too long');
    await expect(prepare()).rejects.toThrow('takes too long');
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe('a server', () => {
  it('has the clean environment, the workspace as its folder, and a mark by which a crash is cleaned up', async () => {
    process.env.ANTHROPIC_API_KEY = 'secret-key';
    const servers = await start(behaving('environment'));
    const { env, cwd } = JSON.parse((await call(servers, 'environment_say')).content);
    delete process.env.ANTHROPIC_API_KEY;
    expect(cwd).toBe(servers.workspace);
    expect(Object.keys(env).sort()).toEqual(['PATH', 'SAYSO', 'SAYSO_CALL']);
  });

  it('ends with all of its processes', async () => {
    const mark = `end-${Date.now()}`;
    const servers = await startServers(behaving('plain', mark));
    expect(await pidsWithArgument(mark)).toHaveLength(1);
    await servers.close();
    expect(await pidsWithArgument(mark)).toEqual([]);
  });

  it.each([
    ['stillborn', /not used: ended with exit code 2; its last words: no config/],
    ['collide', /with 2 tools/],
    ['pages', /lists its tools on more than 20 pages/],
  ])('that is %s is told of, and keeps no other from being used', async (behaviour, words) => {
    const servers = await start(behaving(behaviour), behaving('plain'));
    expect(texts(servers)).toMatch(words);
    expect(await call(servers, 'plain_say')).toMatchObject({ isError: false });
  });

  it('that is not there is told of', async () => {
    const servers = await start(stdio('gone', ['no-such-program'], false));
    expect(texts(servers)).toContain('no such program on the PATH');
    expect(servers.tools).toEqual([]);
  });

  it('gets no model and only the workspace as its root', async () => {
    const servers = await start(behaving('curious'));
    const { sampled, roots } = JSON.parse((await call(servers, 'curious_say')).content);
    expect(sampled).toMatchObject({ code: -32601 });
    expect(roots.roots).toEqual([{ uri: `file://${servers.workspace}`, name: 'workspace' }]);
  });

  it('may print what is no message', async () => {
    const servers = await start(behaving('malformed'));
    expect(await call(servers, 'malformed_say', { words: 'x' })).toEqual({
      content: 'say {"words":"x"}',
      isError: false,
    });
  });
});

describe('a result', () => {
  it('is its texts, and of all else what it is', async () => {
    const servers = await start(behaving('mixed'));
    expect(await call(servers, 'mixed_say')).toEqual({
      content:
        'one\n[image, image/png, about 3 bytes: not shown]\n[resource file:///x]\ntwo\n[link to a resource: file:///y]',
      isError: true,
    });
  });

  it('is cut to its beginning and its end', async () => {
    const { content } = await call(await start(behaving('large')), 'large_say');
    expect(content.length).toBeLessThan(66_000);
    expect(content).toContain('bytes missing');
    expect(content.endsWith('END')).toBe(true);
  });

  it.each([
    ['refuse', 'The MCP server refuse answers with an error: MCP error -32000: not today.'],
    ['wrong', 'The MCP server wrong gave no answer that can be read'],
  ])('of a server that does %s is an error result', async (behaviour, words) => {
    const { content, isError } = await call(await start(behaving(behaviour)), `${behaviour}_say`);
    expect(isError).toBe(true);
    expect(content).toContain(words);
    expect(content).not.toContain('\u001b');
  });
});

describe('a server that does its worst', () => {
  it.each([
    ['die', 'ended before it answered', 'ended with exit code 7; its last words: out of luck'],
    ['flood', 'ended before it answered', 'sent more than 5000 messages within 10 s'],
    ['endless', 'ended before it answered', 'sent a message of more than 8 MiB'],
    ['nonsense', 'ended before it answered', 'sent too much that is no MCP message'],
  ])('(%s) gives an error result, is shown, started again, and works again', async (behaviour, words, notice) => {
    const servers = await start(behaving(behaviour));
    const { content, isError } = await call(servers, `${behaviour}_say`);
    expect(isError).toBe(true);
    expect(content).toContain(words);
    await until(() => texts(servers).includes('was started again'), 'it was started again');
    expect(texts(servers)).toContain(`${notice}. It is started again in 0.25 s.`);
    await expect(servers.tool(`${behaviour}_say`).prepare('{}', servers.context)).resolves.toBeDefined();
  });

  it('gives an error at once while it is not there', async () => {
    const servers = await start(behaving('die'));
    await call(servers, 'die_say');
    await expect(servers.tool('die_say').prepare('{}', servers.context)).rejects.toThrow(
      'The MCP server die cannot be used now: it ended, and is started again within 1 s.',
    );
  });

  it('hangs no longer than its call may work, and is left alone where it still answers', async () => {
    const servers = await start(behaving('hang'));
    const io = quietIo({ signal: AbortSignal.timeout(200) });
    await expect(call(servers, 'hang_say', {}, io)).rejects.toThrow('aborted due to timeout');
    expect(await servers.tool('hang_say').prepare('{}', servers.context)).toBeDefined();
    expect(texts(servers)).not.toContain('again');
  });

  it('is started again where it does not answer at all any more', async () => {
    const servers = await start(behaving('freeze'));
    const io = quietIo({ signal: AbortSignal.timeout(200) });
    await expect(call(servers, 'freeze_say', {}, io)).rejects.toThrow('aborted due to timeout');
    await until(() => texts(servers).includes('was started again'), 'it was started again');
    expect(texts(servers)).toContain('does not answer any more');
  });

  it('is given up when it ends again and again', async () => {
    const { context, workspace, notices, ...servers } = await start();
    const notes: string[] = [];
    // Not in the workspace: a file there that changes keeps a server from being started again.
    const starts = join(await tempFolder(), 'starts');
    const place = {
      workspace,
      sandbox: context.sandbox,
      start: (argv: readonly [string, ...string[]]) => context.sandbox.open({ argv, cwd: workspace, ...context }),
    };
    const link = new ServerLink(behaving('fade', starts), place, ({ text }) => notes.push(text), [1, 2]);
    await link.open();
    await expect(link.call('say', {}, quietIo())).rejects.toThrow('ended before it answered');
    await until(() => notes.at(-1)?.includes('not started again in this run') === true, 'it was given up');
    await expect(link.check('say')).rejects.toThrow('it ended again and again');
    expect(await readFile(starts, 'utf8')).toBe('xxx');
    await link.close();
    expect(servers.tools).toEqual([]);
  });

  it('is not started again from a file that the run has changed meanwhile', async () => {
    const servers = await startServers();
    open.push(servers);
    const script = join(servers.workspace, 'server.mjs');
    await writeFile(script, await readFile(join(import.meta.dirname, '../../../support/mcp-server.mjs')));
    const own = await RunServers.start([stdio('own', [process.execPath, 'server.mjs', 'die'], false)], servers.context);
    own.attach((notice) => servers.notices.push(notice));
    await writeFile(script, 'process.exit(0)');
    const [, , say] = own.tools;
    await (await say?.tool.prepare('{}', servers.context))?.execute(quietIo());
    await until(() => texts(servers).includes('server.mjs changed since it was started'), 'it was noticed');
    await own.close();
  });
});

describe('a list of tools that changes in the middle of a run', () => {
  it('adds nothing, takes away what is gone, and refuses what is another now', async () => {
    const servers = await start(behaving('change'));
    await call(servers, 'change_say');
    const prepare = (name: string, input: string) => servers.tool(name).prepare(input, servers.context);
    await expect(prepare('change_touch', '{"path":"a"}')).rejects.toThrow('has changed the tool touch');
    await expect(prepare('change_look', '{"path":"a"}')).rejects.toThrow('does not offer the tool look any more');
    expect(await call(servers, 'change_say')).toMatchObject({ isError: false });
    expect(names(servers.tools)).toEqual(['change_touch', 'change_look', 'change_say']);
    expect(texts(servers)).toContain('offers new tools: extra. They are for the next run.');
    expect(texts(servers)).toContain('has changed touch.');
    expect(texts(servers)).toContain('does not offer look any more.');
  });

  it('is noticed without a word of the server, before a call that is decided about runs', async () => {
    const servers = await start(behaving('change-quietly'));
    await call(servers, 'change-quietly_say');
    const touch = servers.tool('change-quietly_touch');
    await vi.waitFor(
      () => expect(touch.prepare('{"path":"a"}', servers.context)).rejects.toThrow('has changed the tool touch'),
      { timeout: 10_000 },
    );
    expect(existsSync(join(servers.workspace, 'a'))).toBe(false);
  });

  it('all the time fills no timeline', async () => {
    const servers = await start(behaving('flap'));
    await clockReaches(Date.now() + 1_500);
    expect(servers.notices.length).toBeLessThan(12);
  });
});
