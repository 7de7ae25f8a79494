import type { GrantMatch } from '@shared/requests';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../src/main/agents/definition';
import { agentVersion, fingerprint } from '../../src/main/agents/fingerprint';
import { loadAgent } from '../../src/main/agents/load';
import { covers, grantMatch } from '../../src/main/approvals/remember';
import { folderForEachTest } from '../main/agents/agents-folder';
import { probe, startRun, waitForRequests } from '../support/run';
import { openStore, rememberable, type Store } from '../support/store';

const folder = folderForEachTest();
let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const TURNS = [{ calls: [{ tool: 'edit', input: {} }] }, { say: 'Done.' }];

describe('a grant for every session of an agent', () => {
  it('covers nothing of the agent after its file was changed, in a new session as in an old one', async () => {
    const first = startRun(store, TURNS, [probe('edit').tool]);
    const [request] = await waitForRequests(store);
    if (request === undefined) throw new Error('nothing to answer');
    store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'agent' });
    await first.run.ended;

    const same = probe('edit');
    await startRun(store, TURNS, [same.tool]).run.ended;
    expect(same.ran).toHaveLength(1);

    const changed = probe('edit');
    const second = startRun(store, TURNS, [changed.tool], { settings: { agentVersion: 'v2' } });
    await waitForRequests(store);
    expect(changed.ran).toEqual([]);
    second.run.stop();
    await second.run.ended;
  });

  it('of an older Sayso, which did not know the version, covers nothing', () => {
    const call = rememberable();
    const { agentVersion: _, ...old } = grantMatch(call, 'agent') as Extract<GrantMatch, { scope: 'agent' }>;
    expect(covers(old, call)).toBe(false);
  });
});

describe('the version of an agent', () => {
  const versionOf = async (text: string) => {
    const load = await loadAgent(await folder.write('a.agent.yaml', `name: a\nprompt: x\n${text}`));
    if (!load.ok) throw new Error(load.problems[0]?.message);
    return agentVersion(fingerprint(load.agent satisfies AgentDefinition, 'm', []));
  };

  it.each([
    ['another program behind the same commands', 'applications: [{ path: ./one }]', 'applications: [{ path: ./two }]'],
    ['a network that was opened', '', 'sandbox: { network: true }'],
    ['a network of some hosts that was opened', '', 'sandbox: { network: [a.example] }'],
    ['one more host', 'sandbox: { network: [a.example] }', 'sandbox: { network: [a.example, b.example] }'],
    ['a folder that was opened', '', 'sandbox: { write: [/srv] }'],
    ['a protection that was dropped', 'sandbox: { protect: [.git] }', ''],
  ])('changes with %s', async (_, before, after) => {
    expect(await versionOf(after)).not.toBe(await versionOf(before));
  });

  it('does not change with limits, words and places', async () => {
    expect(await versionOf('description: new\nlimits: { maxTurns: 3 }\n')).toBe(await versionOf(''));
    expect(await versionOf('\n\napplications: [{ path: ./one }]')).toBe(
      await versionOf('applications: [{ path: ./one }]'),
    );
  });
});
