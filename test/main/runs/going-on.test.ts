import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import { CallId, RunId, SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentLibrary } from '../../../src/main/agents/library';
import type { GoingOn } from '../../../src/main/runs/going-on';
import { Holders } from '../../../src/main/runs/holders';
import { LiveOriginals } from '../../../src/main/runs/live-originals';
import { Preparer } from '../../../src/main/runs/prepare-agent';
import { isAlive, ownIdentity } from '../../../src/main/runs/process-identity';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { Supervisor } from '../../../src/main/runs/supervisor';
import { chooseSandbox } from '../../../src/main/sandbox/choose-sandbox';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import { forkSession } from '../../../src/main/sessions/fork-session';
import { StoreService } from '../../../src/main/sessions/worker/store-service';
import { calls, claude, says, scripted } from '../../support/agents';
import { forge } from '../../support/forged-file';
import { waitForRequests } from '../../support/run';
import { openStore, wholeJournal } from '../../support/store';
import { until } from '../sandbox/helpers';

/** A Sayso with a store, a folder of agents and a folder to work in, all of its own. */
async function machine() {
  const store = await openStore();
  const root = await realpath(await mkdtemp(join(tmpdir(), 'sayso-machine-')));
  const [agents, workspace] = [join(root, 'agents'), join(root, 'ws')];
  await mkdir(agents);
  await mkdir(workspace);
  const preparer = new Preparer({
    library: new AgentLibrary({ shippedFolder: null, folders: [agents] }),
    sandbox: await chooseSandbox({ instanceId: randomUUID(), dataFolder: store.home }),
    environment: { PATH: process.env.PATH, HOME: process.env.HOME },
    dataFolder: store.home,
    connection: () => ({ apiKey: 'a key', baseUrl: 'http://127.0.0.1:9', defaultModel: 'none' }),
  });
  const supervisor = new Supervisor({
    ...store,
    preparer,
    originals: new LiveOriginals(),
    holders: new Holders(store.database, await ownIdentity(), isAlive),
    hasOperator: () => true,
    onStoreError: (error) => store.storeErrors.push(error),
  });
  const service = new StoreService(join(store.home, DATABASE_FILE));
  const close = async () => {
    await supervisor.close();
    service.close();
    await store.close();
    await rm(root, { recursive: true, force: true });
  };
  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(agents, name), text);
  };
  return { store, root, agents, workspace, supervisor, service, write, close };
}
type Machine = Awaited<ReturnType<typeof machine>>;

const WRITES = calls('write_file', { path: 'a.txt', content: 'x' });
const TURNS = [WRITES, says('Done.'), says('Once more.')];
const NOWHERE: GoingOn = { agentChanged: 'ask', place: null };

/** A call, and what a file may say of how it went on. */
const CALLED: EventBody = {
  type: 'assistant_message',
  turn: 1,
  blocks: [
    {
      type: 'tool_use',
      id: CallId.parse('call_1_1'),
      name: 'write_file',
      inputText: JSON.stringify({ path: 'a.txt', content: 'x' }),
    },
  ],
  stopReason: 'tool_use',
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: null },
};
const STARTED_CALL: EventBody = {
  type: 'call_started',
  turn: 1,
  callId: CallId.parse('call_1_1'),
  tool: 'write_file',
  preview: { kind: 'arguments', rows: [] },
  command: [],
  digest: 'a'.repeat(64),
  program: null,
  allowedBy: 'operator',
};
const REFUSED_CALL: EventBody = {
  type: 'call_refused',
  turn: 1,
  callId: CallId.parse('call_1_1'),
  tool: 'write_file',
  content: 'it ran',
  exitCode: 1,
  durationMs: 5,
  asks: [{ kind: 'network', host: null, port: null }],
};

let here: Machine;
let there: Machine;
beforeEach(async () => {
  here = await machine();
  there = await machine();
});
afterEach(async () => {
  await here.close();
  await there.close();
});

const eventsOf = ({ store }: Machine, sessionId: SessionId): EventBody[] =>
  wholeJournal(store, sessionId).map(({ body }) => body);
const noticesOf = (at: Machine, id: SessionId) =>
  eventsOf(at, id).flatMap((body) => (body.type === 'notice' ? [body.text] : []));
const stateOf = ({ store }: Machine, id: SessionId) => store.reader.session(id)?.state;
const starts = (at: Machine, id: SessionId) => eventsOf(at, id).filter(({ type }) => type === 'run_started');
const placeOf = ({ agents, workspace }: Machine, name = 'a') => ({
  agentId: join(agents, `${name}.agent.yaml`),
  workspace,
});

/** A session that asked, was answered with a remembered approval, and came to its end. */
async function hold(
  at: Machine,
  mode: 'auto' | null = null,
  extra: Parameters<typeof scripted>[2] = {},
): Promise<SessionId> {
  await at.write(scripted('a', TURNS, extra));
  const id = await at.supervisor.start({ ...placeOf(at), prompt: 'Go', mode });
  if (mode === null) {
    const [request] = await waitForRequests(at.store);
    if (request === undefined) throw new Error('nothing asked');
    at.store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' });
  }
  await until(() => stateOf(at, id) === 'completed', 'the run ended');
  return id;
}

/** Takes a session over to another machine. */
async function move(id: SessionId): Promise<void> {
  const path = join(here.root, 'a.jsonl');
  await here.service.answer({ type: 'export', sessionId: id, format: 'jsonl', path, known: [] }, () => {});
  await there.service.answer({ type: 'import', path }, () => {});
  recoverInterrupted(there.store.reader, there.store.journal, there.store.inbox, (other) => other === id);
}

describe('a session that was taken in', () => {
  it('runs nothing before the operator says with which agent and in which folder, and then goes on there', async () => {
    const id = await hold(here);
    await move(id);
    await there.write(scripted('a', TURNS));
    for (const attempt of [
      there.supervisor.send(id, 'Again', NOWHERE),
      there.supervisor.send(id, 'Again', { agentChanged: 'anyway', place: null }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'elsewhere' });
    }
    await expect(there.supervisor.clear(id)).rejects.toMatchObject({ code: 'refused' });
    expect(starts(there, id)).toHaveLength(1);

    await there.supervisor.send(id, 'Again', { agentChanged: 'ask', place: placeOf(there) });
    await until(() => stateOf(there, id) === 'completed' && starts(there, id).length === 2, 'it went on');
    const { agentId, workspace } = placeOf(there);
    expect(there.store.reader.session(id)).toMatchObject({ agentId, workspace, agent: 'a', mode: 'ask' });
    expect(noticesOf(there, id)).toEqual([
      `It goes on here, as you chose: the agent a (${agentId}) in ${workspace}. Remembered approvals were dropped.`,
    ]);
    // From now on it is one of this machine's own.
    await there.supervisor.send(id, 'And again', NOWHERE);
    await until(() => starts(there, id).length === 3, 'it goes on');
  });

  it('does so also where the file names an agent and a folder that are here', async () => {
    const id = await hold(here);
    const path = join(here.root, 'a.jsonl');
    await here.service.answer({ type: 'export', sessionId: id, format: 'jsonl', path, known: [] }, () => {});
    await here.service.answer({ type: 'delete', sessionIds: [id], olderThanDays: null }, () => {});
    await here.service.answer({ type: 'import', path }, () => {});
    await expect(here.supervisor.send(id, 'Again', NOWHERE)).rejects.toMatchObject({ code: 'elsewhere' });
    const fork = { newId: SessionId.parse(randomUUID()), runId: RunId.parse(randomUUID()) };
    const [last] = here.store.reader.events({ sessionId: id, from: { at: 'end' }, limit: 1 }).events;
    await forkSession(here.store.database, { sessionId: id, seq: last?.seq ?? 0, ...fork });
    await expect(here.supervisor.send(fork.newId, 'Again', NOWHERE)).rejects.toMatchObject({ code: 'elsewhere' });
  });

  it('brings no approval along, and no mode that does not ask: the first call is put to the operator', async () => {
    const id = await hold(here, 'auto');
    await move(id);
    // It is asked about although the agent file itself says auto, and although it was remembered elsewhere.
    await there.write(scripted('a', [WRITES, says('x'), WRITES, says('y')], { guardrails: { approvalMode: 'auto' } }));
    await there.supervisor.send(id, 'Again', { agentChanged: 'anyway', place: placeOf(there) });
    const [asked] = await waitForRequests(there.store);
    expect(asked).toMatchObject({ kind: 'approval', tool: 'write_file' });
    there.supervisor.stop(id);
    await until(() => stateOf(there, id) === 'stopped', 'it stopped');
  });

  it.each([
    ['started', [STARTED_CALL]],
    ['was kept from something', [STARTED_CALL, REFUSED_CALL]],
    ['was kept from something, which nobody ever ran', [REFUSED_CALL]],
  ])('is asked what shall happen with a call of which its file says that it %s', async (_, events) => {
    const path = join(there.root, 'forged.jsonl');
    const { sessionId: id } = await forge(path, { ended: false, events: [CALLED, ...events] });
    await there.service.answer({ type: 'import', path }, () => {});
    await there.write(scripted('a', TURNS));
    const words = /^write_file was started where this session comes from, as its file says, and not here/;
    await there.supervisor.resume(id, { agentChanged: 'anyway', place: placeOf(there) });
    const [question] = await waitForRequests(there.store);
    if (question === undefined) throw new Error('nothing asked');
    expect(question).toMatchObject({ kind: 'question', question: expect.stringMatching(words) });
    // To run it here it goes through the gate, as a call that never ran.
    there.store.inbox.answer(question.id, question.digest, { type: 'select', selected: 2 });
    await until(() => there.store.inbox.open()[0]?.kind === 'approval', 'it asks');
    expect(there.store.inbox.open()).toMatchObject([{ tool: 'write_file', gatedBy: { because: 'mode' } }]);
    there.supervisor.stop(id);
    await until(() => stateOf(there, id) === 'stopped', 'it stopped');
  });

  it('goes on with a changed agent only anyway, and with another provider not at all', async () => {
    const id = await hold(here);
    await move(id);
    await there.write(scripted('a', TURNS, { prompt: 'Another prompt' }));
    await there.write(claude('b'));
    const place = placeOf(there);
    await expect(there.supervisor.send(id, 'Again', { agentChanged: 'ask', place })).rejects.toMatchObject({
      code: 'changed',
    });
    for (const agentChanged of ['ask', 'anyway'] as const) {
      const how = { agentChanged, place: placeOf(there, 'b') };
      await expect(there.supervisor.send(id, 'Again', how)).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('held with the provider scripted'),
      });
    }
    await expect(there.supervisor.send(id, 'Again', NOWHERE)).rejects.toMatchObject({ code: 'elsewhere' });
    await there.supervisor.send(id, 'Again', { agentChanged: 'anyway', place });
    await until(() => starts(there, id).length === 2, 'it goes on');
  });

  it('whose record of its agent cannot be read counts as changed', async () => {
    const id = await hold(here);
    here.store.database.prepare("UPDATE sessions SET fingerprint = 'nothing that can be read'").run();
    await move(id);
    await there.write(scripted('a', TURNS));
    const place = placeOf(there);
    await expect(there.supervisor.send(id, 'Again', { agentChanged: 'ask', place })).rejects.toMatchObject({
      code: 'changed',
      message: expect.stringContaining('not on record'),
    });
    await there.supervisor.send(id, 'Again', { agentChanged: 'anyway', place });
    await until(() => starts(there, id).length === 2, 'it goes on');
  });
});

describe('a session whose agent file or folder has moved', () => {
  it('says so, and goes on where the operator says, without its remembered approvals', async () => {
    const id = await hold(here);
    await rename(here.agents, join(here.root, 'other'));
    await mkdir(here.agents);
    await expect(here.supervisor.send(id, 'Again', NOWHERE)).rejects.toMatchObject({
      code: 'elsewhere',
      message: expect.stringContaining('a.agent.yaml is not there any more'),
    });
    await here.write(scripted('a', TURNS));
    const moved = join(here.root, 'moved');
    await rename(here.workspace, moved);
    await expect(here.supervisor.send(id, 'Again', NOWHERE)).rejects.toMatchObject({ code: 'elsewhere' });
    const gone = { agentChanged: 'ask', place: placeOf(here) } as const;
    await expect(here.supervisor.send(id, 'Again', gone)).rejects.toMatchObject({ code: 'not-found' });
    expect(here.store.grants.list(id, '')).toMatchObject([{ revokedAt: null }]);

    await here.supervisor.send(id, 'Again', { agentChanged: 'ask', place: { ...placeOf(here), workspace: moved } });
    await until(() => starts(here, id).length === 2, 'it goes on');
    expect(here.store.reader.session(id)?.workspace).toBe(moved);
    expect(here.store.grants.list(id, '')).toMatchObject([{ revokedAt: expect.any(Number) }]);
  });

  it('keeps them where the operator names the same agent and folder', async () => {
    const id = await hold(here);
    await here.supervisor.send(id, 'Again', { agentChanged: 'ask', place: placeOf(here) });
    await until(() => starts(here, id).length === 2, 'it goes on');
    expect(here.store.grants.list(id, '')).toMatchObject([{ revokedAt: null }]);
    expect(noticesOf(here, id)).toEqual([]);
  });
});

describe('a session whose agent file has changed', () => {
  const BASE = { prompt: 'A prompt', limits: { maxTurns: 50 } };
  interface Changed {
    readonly file: () => Readonly<Record<string, string>>;
    /** How it goes on: by itself, only anyway, or not at all. */
    readonly goesOn: 'by itself' | 'anyway' | 'never';
    readonly warns: string | null;
    readonly grants: 'kept' | 'dropped';
  }
  const as = (turns: typeof TURNS, over: Parameters<typeof scripted>[2]) => () =>
    scripted('a', turns, { ...BASE, ...over });
  const CHANGES: Readonly<Record<string, Changed>> = {
    nothing: { file: as(TURNS, {}), goesOn: 'by itself', warns: null, grants: 'kept' },
    'its limits': {
      file: as(TURNS, { limits: { maxTurns: 40 } }),
      goesOn: 'by itself',
      warns: 'The limits of the agent changed since this session was begun.',
      grants: 'kept',
    },
    'the time that a request waits': {
      file: as(TURNS, { guardrails: { approvalTimeout: '90s' } }),
      goesOn: 'by itself',
      warns: null,
      grants: 'kept',
    },
    'its tools': {
      file: as(TURNS, { exclude: { tools: ['^delete$'] } }),
      goesOn: 'by itself',
      warns: 'The agent changed since this session was begun: its tools. Remembered approvals were dropped.',
      grants: 'dropped',
    },
    'what its commands are given': {
      file: as(TURNS, { environment: { set: { CI: '1' } } }),
      goesOn: 'by itself',
      warns: 'The agent changed since this session was begun: its tools. Remembered approvals were dropped.',
      grants: 'dropped',
    },
    'what asks': {
      file: as(TURNS, { harness: { confirm_tags: ['ai:read_only'] } }),
      goesOn: 'by itself',
      warns: 'The agent changed since this session was begun: its tools. Remembered approvals were dropped.',
      grants: 'dropped',
    },
    'its prompt': {
      file: as(TURNS, { prompt: 'Another prompt' }),
      goesOn: 'anyway',
      warns:
        'The agent changed since this session was begun: the prompt, its script or the thinking setting. Remembered approvals were dropped.',
      grants: 'dropped',
    },
    'its script': {
      file: as([...TURNS, says('And more.')], {}),
      goesOn: 'anyway',
      warns:
        'The agent changed since this session was begun: the prompt, its script or the thinking setting. Remembered approvals were dropped.',
      grants: 'dropped',
    },
    'its provider': { file: () => claude('a', BASE), goesOn: 'never', warns: null, grants: 'kept' },
  };
  const grantsOf = (id: SessionId) => here.store.grants.list(id, '').map(({ revokedAt }) => revokedAt);

  for (const [what, { file, goesOn, warns, grants }] of Object.entries(CHANGES)) {
    const kept = grants === 'kept' ? 'with' : 'without';
    it(`in ${what} goes on ${goesOn}, ${kept} its remembered approvals`, async () => {
      const id = await hold(here, null, BASE);
      await here.write(file());
      if (goesOn !== 'by itself') {
        const code = goesOn === 'never' ? 'refused' : 'changed';
        await expect(here.supervisor.send(id, 'Again', NOWHERE)).rejects.toMatchObject({ code });
        // Nothing was begun, and nothing dropped, before the operator has said so.
        expect(starts(here, id)).toHaveLength(1);
        expect(grantsOf(id)).toEqual([null]);
      }
      const how: GoingOn = { agentChanged: 'anyway', place: null };
      if (goesOn === 'never') {
        await expect(here.supervisor.send(id, 'Again', how)).rejects.toMatchObject({ code: 'refused' });
        expect(starts(here, id)).toHaveLength(1);
      } else {
        await here.supervisor.send(id, 'Again', goesOn === 'anyway' ? how : NOWHERE);
        await until(() => starts(here, id).length === 2 && stateOf(here, id) === 'completed', 'it went on');
      }
      if (warns === null) expect(noticesOf(here, id)).toEqual([]);
      else expect(noticesOf(here, id)[0]).toBe(warns);
      expect(grantsOf(id)).toEqual([grants === 'kept' ? null : expect.any(Number)]);
    });
  }
});
