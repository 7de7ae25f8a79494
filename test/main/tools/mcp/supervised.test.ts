import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import type { SessionId } from '@shared/ids';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chooseSandbox } from '../../../../src/main/sandbox/choose-sandbox';
import { calls, says, scripted } from '../../../support/agents';
import { pidsWithArgument } from '../../../support/processes';
import { waitForRequests } from '../../../support/run';
import { wholeJournal } from '../../../support/store';
import { openSupervised, type Supervised } from '../../../support/supervisor';
import { until } from '../../sandbox/helpers';

// A link to it does not lead anywhere inside the sandbox.
const MODULES = realpathSync(join(import.meta.dirname, '../../../../node_modules'));
const FILES = join(MODULES, '@modelcontextprotocol/server-filesystem/dist/index.js');
const HOSTILE = join(import.meta.dirname, '../../../support/mcp-server.mjs');

/** With the strongest sandbox of this machine. */
let app: Supervised;
let store: Supervised['store'];
let supervisor: Supervised['supervisor'];
beforeEach(async () => {
  app = await openSupervised({
    sandbox: (home) => chooseSandbox({ instanceId: randomUUID(), dataFolder: home }),
  });
  ({ store, supervisor } = app);
});
afterEach(() => app.close());

async function agent(turns: Parameters<typeof scripted>[1], mcp: NonNullable<Parameters<typeof scripted>[2]>['mcp']) {
  return app.agent(
    scripted('a', turns, { ...(mcp === undefined ? {} : { mcp }), sandbox: { read: [MODULES, HOSTILE] } }),
  );
}

const events = (sessionId: SessionId): EventBody[] => wholeJournal(store, sessionId).map(({ body }) => body);
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
  expect(await readFile(join(app.workspace, 'a.txt'), 'utf8')).toBe('x');
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
  await supervisor.stop(id);
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
  await supervisor.stop(id);
});

it('two tools of one name keep the agent from running, and leave no server behind', async () => {
  const mark = `collide-${randomUUID()}`;
  const input = await agent([says('Done.')], [{ name: 'c', command: [process.execPath, HOSTILE, 'collide', mark] }]);
  await expect(supervisor.start(input)).rejects.toThrow('two tools are named c_a_b');
  expect(await pidsWithArgument(mark)).toEqual([]);
});
