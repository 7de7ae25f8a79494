import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf } from '@shared/events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ServerDefinition } from '../../../../src/main/tools/mcp/server';
import { clockReaches } from '../../../support/clock';
import { behaving, fileServer, type Servers, startServers, trusted } from '../../../support/mcp';
import { type RunOptions, startRun, waitForRequests } from '../../../support/run';
import { openStore, type Store } from '../../../support/store';

let store: Store;
let servers: Servers;
beforeEach(async () => {
  store = await openStore();
});
afterEach(async () => {
  await servers.close();
  await store.close();
});

const calls = (tool: string, input: object) => ({ calls: [{ tool, input }] });

async function start(definition: ServerDefinition, turns: readonly object[], options: RunOptions = {}) {
  servers = await startServers(definition);
  const { toolTimeoutMs: _, ...context } = servers.context;
  const started = startRun(store, [...turns, { say: 'Done.' }], servers.tools, {
    context,
    ...options,
  });
  const results = () => started.events().filter((body): body is EventOf<'call_result'> => body.type === 'call_result');
  return { ...started, results };
}

async function answerNext(): Promise<string> {
  const [request] = await waitForRequests(store);
  if (request === undefined) throw new Error('nothing was asked');
  store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null });
  return request.tool;
}

it('the reference filesystem server reads without asking where it is trusted, and writes only once it was approved', async () => {
  const { run, results } = await start(fileServer(), [
    calls('files_list_directory', { path: '.' }),
    calls('files_write_file', { path: 'made.txt', content: 'made by mcp\n' }),
    calls('files_read_text_file', { path: 'made.txt' }),
    calls('files_read_text_file', { path: '/etc/passwd' }),
  ]);
  const [request] = await waitForRequests(store);
  expect(request).toMatchObject({
    kind: 'approval',
    tool: 'files_write_file',
    preview: {
      rows: [
        { name: 'MCP server' },
        { name: 'MCP tool', value: 'write_file' },
        { name: 'path', value: 'made.txt' },
        { name: 'content', value: 'made by mcp\n' },
      ],
    },
  });
  const made = join(servers.workspace, 'made.txt');
  await expect(readFile(made)).rejects.toThrow('ENOENT');
  expect(await answerNext()).toBe('files_write_file');
  expect(await run.ended).toBe('completed');
  expect(await readFile(made, 'utf8')).toBe('made by mcp\n');
  const [listed, , read, outside] = results();
  expect(listed).toMatchObject({ isError: false });
  expect(read).toMatchObject({ isError: false, content: 'made by mcp\n' });
  expect(outside).toMatchObject({ isError: true, content: expect.stringContaining('outside allowed directories') });
});

it('a server that lies in its annotations changes nothing without approval where it is not trusted', async () => {
  const { run, events } = await start(behaving('liar'), [calls('liar_look', { path: 'lie.txt' })]);
  const [request] = await waitForRequests(store);
  expect(request?.tool).toBe('liar_look');
  await expect(readFile(join(servers.workspace, 'lie.txt'))).rejects.toThrow('ENOENT');
  if (request !== undefined) store.inbox.answer(request.id, request.digest, { type: 'decline' });
  expect(await run.ended).toBe('completed');
  expect(events().find(({ type }) => type === 'tool_denied')).toMatchObject({ outcome: 'declined' });
  await expect(readFile(join(servers.workspace, 'lie.txt'))).rejects.toThrow('ENOENT');
});

it.each(['die', 'flood', 'nonsense', 'wrong', 'refuse', 'malformed'])(
  'a server that does its worst (%s) ends its call, and not the run',
  async (behaviour) => {
    const { run, results } = await start(behaving(behaviour), [calls(`${behaviour}_say`, {})], {
      settings: { mode: 'auto' },
    });
    expect(await run.ended).toBe('completed');
    expect(results()).toHaveLength(1);
    expect(results()[0]?.isError).toBe(behaviour !== 'malformed');
  },
);

it('a server that hangs ends its call at the limit for tools, and not the run', async () => {
  const { run, results } = await start(behaving('freeze'), [calls('freeze_say', {})], {
    settings: { mode: 'auto', limits: { toolTimeoutMs: 300 } },
  });
  expect(await run.ended).toBe('completed');
  expect(results()[0]).toMatchObject({ isError: true, content: 'This call was ended: it timed out after 0.3 s.' });
});

it('a stop ends a call that hangs', async () => {
  const { run, results, events } = await start(behaving('hang'), [calls('hang_say', {})], {
    settings: { mode: 'auto' },
  });
  await vi.waitFor(() => expect(events().some(({ type }) => type === 'call_started')).toBe(true));
  run.stop();
  expect(await run.ended).toBe('stopped');
  expect(results()[0]).toMatchObject({ isError: true });
});

it('what a tool has become while its call waited for approval does not run', async () => {
  const { run, results } = await start(behaving('change-quietly'), [calls('change-quietly_touch', { path: 'a.txt' })]);
  await waitForRequests(store);
  // Somebody else makes the server change the tool that is being asked about.
  const say = await servers.tool('change-quietly_say').prepare('{}', servers.context);
  await say.execute({
    signal: new AbortController().signal,
    onOutput: () => undefined,
    confirm: async () => false,
    ask: async () => ({ outcome: 'no-operator', by: 'app' }),
  });
  const touch = servers.tool('change-quietly_touch');
  await vi.waitFor(() => expect(touch.prepare('{"path":"a.txt"}', servers.context)).rejects.toThrow('has changed'), {
    timeout: 10_000,
  });
  await answerNext();
  expect(await run.ended).toBe('completed');
  expect(results()).toHaveLength(1);
  expect(results()[0]).toMatchObject({ isError: true, content: expect.stringContaining('has changed the tool touch') });
});

it('a change of the list in the middle of a run widens nothing, though the server is trusted', async () => {
  const { run, results } = await start(
    trusted('change'),
    [calls('change_say', {}), calls('change_extra', { path: 'x' }), calls('change_look', { path: 'x' })],
    { settings: { mode: 'auto' } },
  );
  expect(await run.ended).toBe('completed');
  const [, added, removed] = results();
  expect(added).toMatchObject({ isError: true, content: expect.stringContaining('There is no tool named') });
  expect(removed).toMatchObject({ isError: true, content: expect.stringContaining('does not offer the tool look') });
});

it('a question of a server stands in the inbox, and waiting for its answer uses up nothing of the call’s time', async () => {
  const words = JSON.stringify({
    requestedSchema: { type: 'object', properties: { name: { type: 'string', title: 'Your branch' } } },
  });
  const { run, results } = await start(behaving('elicit'), [calls('elicit_say', { words })], {
    settings: { mode: 'auto', limits: { toolTimeoutMs: 400 } },
  });
  const [request] = await waitForRequests(store);
  expect(request).toMatchObject({ kind: 'question', tool: 'elicit elicitation', answer: { form: 'input' } });
  await clockReaches((request?.createdAt ?? 0) + 700);
  if (request !== undefined) store.inbox.answer(request.id, request.digest, { type: 'input', value: 'main' });
  expect(await run.ended).toBe('completed');
  expect(results()[0]).toMatchObject({ isError: false, content: '{"action":"accept","content":{"name":"main"}}' });
});

it('an approved write is the one that was shown, though the file changed meanwhile', async () => {
  const { run } = await start(fileServer(), [calls('files_write_file', { path: 'a.txt', content: 'new' })]);
  await waitForRequests(store);
  await writeFile(join(servers.workspace, 'a.txt'), 'old');
  await answerNext();
  expect(await run.ended).toBe('completed');
  expect(await readFile(join(servers.workspace, 'a.txt'), 'utf8')).toBe('new');
});
