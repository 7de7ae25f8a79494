import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import type { SessionId } from '@shared/ids';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentLibrary } from '../../../../src/main/agents/library';
import { Holders } from '../../../../src/main/runs/holders';
import { LiveOriginals } from '../../../../src/main/runs/live-originals';
import { Preparer } from '../../../../src/main/runs/prepare-agent';
import { isAlive, ownIdentity } from '../../../../src/main/runs/process-identity';
import { Supervisor } from '../../../../src/main/runs/supervisor';
import { chooseSandbox } from '../../../../src/main/sandbox/choose-sandbox';
import { calls, says, scripted } from '../../../support/agents';
import { pidsWithArgument } from '../../../support/processes';
import { waitForRequests } from '../../../support/run';
import { openStore, type Store } from '../../../support/store';
import { until } from '../../sandbox/helpers';

// A link to it does not lead anywhere inside the sandbox.
const MODULES = realpathSync(join(import.meta.dirname, '../../../../node_modules'));
const FILES = join(MODULES, '@modelcontextprotocol/server-filesystem/dist/index.js');
const HOSTILE = join(import.meta.dirname, '../../../support/mcp-server.mjs');

let store: Store;
let folder: string;
let workspace: string;
let supervisor: Supervisor;

/** The app as it is wired, with the strongest sandbox of this machine, over an agents folder of its own. */
beforeEach(async () => {
  store = await openStore();
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-mcp-agents-')));
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'sayso-mcp-ws-')));
  const sandbox = await chooseSandbox({ instanceId: randomUUID(), dataFolder: store.home });
  const preparer = new Preparer({
    library: new AgentLibrary({ shippedFolder: null, folders: [folder] }),
    sandbox,
    environment: { PATH: process.env.PATH, HOME: process.env.HOME },
    dataFolder: store.home,
    connection: () => ({ apiKey: null, baseUrl: null, defaultModel: 'none' }),
  });
  supervisor = new Supervisor({
    ...store,
    preparer,
    originals: new LiveOriginals(),
    holders: new Holders(store.database, await ownIdentity(), isAlive),
    hasOperator: () => true,
    onStoreError: (error) => store.storeErrors.push(error),
  });
});
afterEach(async () => {
  await supervisor.close();
  await store.close();
  for (const path of [folder, workspace]) await rm(path, { recursive: true, force: true });
});

async function agent(turns: Parameters<typeof scripted>[1], mcp: NonNullable<Parameters<typeof scripted>[2]>['mcp']) {
  const files = scripted('a', turns, { ...(mcp === undefined ? {} : { mcp }), sandbox: { read: [MODULES, HOSTILE] } });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { agentId: join(folder, 'a.agent.yaml'), prompt: 'Go', workspace, mode: null };
}

const events = (sessionId: SessionId): EventBody[] =>
  store.reader.events({ sessionId, from: { at: 'end' }, limit: 1_000 }).events.map(({ body }) => body);
const notices = (id: SessionId) => events(id).flatMap((body) => (body.type === 'notice' ? [body.text] : []));
const ended = (id: SessionId) => until(() => events(id).some(({ type }) => type === 'run_ended'), 'the run ended');

const files = { name: 'files', command: [process.execPath, FILES, '.'], trust_read_only: true };

it('a run has the reference filesystem server in its sandbox, writes once it was approved, and leaves nothing behind', async () => {
  const id = await supervisor.start(
    await agent(
      [
        calls('files_write_file', { path: 'a.txt', content: 'x' }),
        calls('files_list_directory', { path: '.' }),
        says('Done.'),
      ],
      [files],
    ),
  );
  const [request] = await waitForRequests(store);
  expect(request?.tool).toBe('files_write_file');
  if (request !== undefined) store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null });
  await ended(id);
  expect(events(id).at(-1)).toMatchObject({ type: 'run_ended', state: 'completed' });
  expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('x');
  expect(notices(id)).toEqual([
    expect.stringMatching(/^The MCP server files was started with 14 tools: .*index\.js \.$/),
  ]);
  expect(events(id).filter(({ type }) => type === 'call_result')).toHaveLength(2);
  await supervisor.close();
  expect(await pidsWithArgument(FILES)).toEqual([]);
});

it('what happens to a server stands in the timeline, with the secrets taken out; the run goes on', async () => {
  const id = await supervisor.start(
    await agent(
      [calls('bad_say', {}), says('Done.')],
      [
        { name: 'bad', command: [process.execPath, HOSTILE, 'elicit'] },
        { name: 'gone', command: ['no-such-program'] },
      ],
    ),
  );
  await waitForRequests(store);
  expect(notices(id).join('\n')).toContain('The MCP server gone is not used: no-such-program cannot be started');
  supervisor.stop(id);
  await ended(id);
});

it('a stop and a close end the servers, also those that never answered', async () => {
  const mark = `deaf-${randomUUID()}`;
  const starting = supervisor.start(
    await agent([says('Done.')], [{ name: 'deaf', command: [process.execPath, HOSTILE, 'deaf', mark] }]),
  );
  const refused = expect(starting).rejects.toThrow('closing');
  await until(async () => (await pidsWithArgument(mark)).length > 0, 'it was started');
  const began = performance.now();
  await supervisor.close();
  await refused;
  expect(performance.now() - began).toBeLessThan(9_000);
  // Of what was ended in its first moments the kernel may still have the last to do.
  await until(async () => (await pidsWithArgument(mark)).length === 0, 'nothing was left');
});

it('a session that goes on with another server behind the same tools has its remembered approvals dropped', async () => {
  const turns = [calls('x_say', { words: 'a' }), says('Done.')];
  const server = (more: string) => [{ name: 'x', command: [process.execPath, HOSTILE, 'plain', more] }];
  const id = await supervisor.start(await agent(turns, server('one')));
  const [request] = await waitForRequests(store);
  if (request !== undefined) store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' });
  await ended(id);
  await agent(turns, server('two'));
  await supervisor.send(id, 'Again', { agentChanged: 'ask', place: null });
  expect(notices(id).join('\n')).toContain('its tools. Remembered approvals were dropped.');
  supervisor.stop(id);
});

it('two tools of one name keep the agent from running, and leave no server behind', async () => {
  const mark = `collide-${randomUUID()}`;
  const input = await agent([says('Done.')], [{ name: 'c', command: [process.execPath, HOSTILE, 'collide', mark] }]);
  await expect(supervisor.start(input)).rejects.toThrow('two tools are named c_a_b');
  expect(await pidsWithArgument(mark)).toEqual([]);
});
