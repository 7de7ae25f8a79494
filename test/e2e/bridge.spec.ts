import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type BridgeInput, type BridgeMethod, bridge } from '../../src/shared/bridge';
import type { CallId, GrantId, RequestId, SessionId } from '../../src/shared/ids';
import { runs, says, scripted } from '../support/agents';
import { expect, PROJECT, type SaysoApp, test } from '../support/app';
import { callRaw } from '../support/bridge';

const METHODS = Object.keys(bridge) as BridgeMethod[];
const UUID = '6f1d4c0e-5a3b-4c8e-9d27-0b8a5f6e7c11';

/** An input of every method that has the right form. A method that is added has to be added here, too. */
const RIGHT: { readonly [M in BridgeMethod]: BridgeInput<M> } = {
  getAppInfo: {},
  listSessions: { query: '', limit: 10, after: null },
  searchEvents: { query: '', limit: 10, before: null },
  getSession: { sessionId: UUID as SessionId },
  readEvents: { sessionId: UUID as SessionId, from: { at: 'after', seq: 0 }, limit: 10 },
  getRunSandbox: { sessionId: UUID as SessionId, seq: 1 },
  readOriginalOutput: { sessionId: UUID as SessionId, callId: 'call_1' as CallId },
  watchSessions: { sessionIds: [UUID as SessionId] },
  renameSession: { sessionId: UUID as SessionId, title: 'A title' },
  pinSession: { sessionId: UUID as SessionId, pinned: true },
  measureRemoval: { sessionIds: [UUID as SessionId] },
  deleteSessions: { sessionIds: [UUID as SessionId] },
  previewRetention: { olderThanDays: 30 },
  applyRetention: { olderThanDays: 30 },
  forkSession: { sessionId: UUID as SessionId, seq: 1 },
  clearSession: { sessionId: UUID as SessionId },
  exportSession: { sessionId: UUID as SessionId, format: 'jsonl' },
  importSession: {},
  listAgents: {},
  getAgent: { agentId: 'a', servers: 'leave' },
  tryTool: { agentId: 'a', tool: 'x', inputText: '{}', workspace: null },
  openAgentFile: {},
  chooseWorkspace: {},
  startRun: { agentId: 'any', prompt: 'Do it', workspace: '/', mode: null },
  startDemo: {},
  stopRun: { sessionId: UUID as SessionId },
  sendMessage: { sessionId: UUID as SessionId, text: 'Go on', anyway: false, place: null },
  resumeSession: { sessionId: UUID as SessionId, anyway: false, place: null },
  listRequests: {},
  answerRequest: {
    requestId: UUID as RequestId,
    digest: 'a'.repeat(64),
    answer: { type: 'approve', remember: null },
  },
  previewGrant: { requestId: UUID as RequestId, scope: 'session' },
  revokeGrant: { grantId: UUID as GrantId },
  verifyAudit: {},
  exportAudit: {},
  getStatistics: { since: 0 },
  backUpStore: {},
  recoverStore: { from: 'backup' },
  getSettings: {},
  saveSettings: { settings: { theme: 'dark', model: 'another-model', retentionDays: null } },
  setApiKey: { key: 'sk-test' },
};

const OPTIONAL = new Set(['anyway', 'servers']);
const OVERSIZED = ['x'.repeat(300_000), Array.from({ length: 10_000 }, () => UUID), 1e18, { a: 'x'.repeat(300_000) }];

/** Everything wrong that can be sent in place of a method's input, by what is wrong with it. */
function wrongInputs(method: BridgeMethod): Readonly<Record<'types' | 'extra' | 'oversized', unknown[]>> {
  const right = RIGHT[method] as Readonly<Record<string, unknown>>;
  const keys = Object.keys(right);
  const withKey = (key: string, value: unknown) => ({ ...right, [key]: value });
  const without = (key: string) => Object.fromEntries(Object.entries(right).filter(([name]) => name !== key));
  return {
    types: [
      ...[undefined, null, true, 7, 'text', [], [right]],
      // Where nothing is wanted, an object without keys of its own is the same as {}.
      ...(keys.length > 0 ? [new Date(0), new Map(Object.entries(right)), {}] : []),
      ...keys.filter((key) => !OPTIONAL.has(key)).map(without),
      ...keys.flatMap((key) =>
        [{ wrong: true }, [[]], -1.5, Number.NaN, undefined, new Date(0)].flatMap((value) => {
          return value === undefined && OPTIONAL.has(key) ? [] : [withKey(key, value)];
        }),
      ),
      ...keys.flatMap((key) => (typeof right[key] === 'string' && key !== 'query' ? [withKey(key, '')] : [])),
    ],
    extra: [
      withKey('extra', 1),
      withKey('constructor', {}),
      ...keys.flatMap((key) => {
        const value = right[key];
        return isPlainObject(value) ? [withKey(key, { ...value, extra: 1 })] : [];
      }),
    ],
    oversized: [
      ...keys.flatMap((key) => OVERSIZED.map((value) => withKey(key, value))),
      withKey('extra', OVERSIZED[0]),
    ],
  };
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What must not have changed by a call that was refused. */
async function stateOf(app: SaysoApp) {
  const settings = await callRaw(app.page, 'getSettings', [{}]);
  return { settings, sessions: app.journal.sessions(), events: app.journal.events().length };
}

test('every method of the contract, and nothing else, is a function of window.sayso', async ({ launch }) => {
  const { page } = await launch();
  const names = await page.evaluate(() => Object.keys(window.sayso));
  expect(names.sort()).toEqual([...METHODS, 'onPush'].sort());
  expect(await page.evaluate(() => Object.isFrozen(window.sayso))).toBe(true);
});

for (const kind of ['types', 'extra', 'oversized'] as const) {
  const what = { types: 'wrong types', extra: 'extra keys', oversized: 'oversized input' }[kind];
  test(`every bridge method refuses ${what}`, async ({ launch }) => {
    const app = await launch();
    const before = await stateOf(app);
    for (const method of METHODS) {
      for (const input of wrongInputs(method)[kind]) {
        const result = await callRaw(app.page, method, [input]);
        const seen = `${method} ${JSON.stringify(input)?.slice(0, 120)}`;
        expect(result, seen).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
        expect(JSON.stringify(result).length, seen).toBeLessThan(5_000);
      }
    }
    expect(await stateOf(app)).toEqual(before);
  });
}

test('every bridge method refuses more than its one argument', async ({ launch }) => {
  const app = await launch();
  await app.electron.evaluate(
    ({ session }, file) => {
      const { defaultSession } = session;
      // The newer name of the two, where there is one.
      const register: unknown = Reflect.get(defaultSession, 'registerPreloadScript');
      if (typeof register === 'function') register.call(defaultSession, { type: 'frame', filePath: file });
      else defaultSession.setPreloads([file]);
    },
    join(PROJECT, 'test/support/preload-raw.cjs'),
  );
  await app.page.reload();
  const before = await stateOf(app);
  for (const method of METHODS) {
    for (const args of [[RIGHT[method], RIGHT[method]], [RIGHT[method], undefined], [{}, {}, {}], []]) {
      const result = await invokeRaw(app.page, `sayso:${method}`, args);
      expect(result, method).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    }
  }
  await expect(invokeRaw(app.page, 'sayso:execute', [{}])).rejects.toThrow(/No handler/);
  expect(await stateOf(app)).toEqual(before);
});

function invokeRaw(page: Page, channel: string, args: readonly unknown[]): Promise<unknown> {
  return page.evaluate(
    ([name, given]) => {
      const { raw } = globalThis as unknown as { raw: { invoke(name: string, ...args: unknown[]): unknown } };
      return raw.invoke(name, ...given);
    },
    [channel, [...args]] as const,
  );
}

const FOREIGN = {
  'another window on a data: page': 'data:text/html,<title>foreign</title>',
  'another window on the app’s own page': 'app://sayso/index.html',
  'another window on another app:// host': 'app://elsewhere/index.html',
} as const;

for (const [who, url] of Object.entries(FOREIGN)) {
  test(`every bridge method refuses a foreign sender: ${who}`, async ({ launch }) => {
    const app = await launch();
    const before = await stateOf(app);
    const opened = app.electron.waitForEvent('window');
    await app.electron.evaluate(
      async ({ BrowserWindow }, { preload, address }) => {
        const window = new BrowserWindow({ webPreferences: { preload, contextIsolation: true, sandbox: true } });
        await window.loadURL(address).catch(() => undefined);
      },
      { preload: join(PROJECT, 'out/preload/index.cjs'), address: url },
    );
    const foreign = await opened;
    for (const method of METHODS) {
      const result = await callRaw(foreign, method, [RIGHT[method]]);
      expect(result, method).toMatchObject({ ok: false, error: { code: 'refused' } });
    }
    expect(await stateOf(app)).toEqual(before);
  });
}

/** A page that is refused may still be replaced by Chromium's own page about it, under the first call. */
async function callOnceSettled(page: Page, method: BridgeMethod): Promise<unknown> {
  for (;;) {
    try {
      return await callRaw(page, method, [RIGHT[method]]);
    } catch (error) {
      if (!String(error).includes('Execution context was destroyed')) throw error;
      await page.waitForLoadState();
    }
  }
}

test('every bridge method refuses the app’s own window once another page is in it', async ({ launch }) => {
  const app = await launch();
  const events = app.journal.events().length;
  for (const address of ['data:text/html,<title>foreign</title>', 'app://elsewhere/index.html']) {
    await app.electron.evaluate(async ({ BrowserWindow }, to) => {
      await BrowserWindow.getAllWindows()[0]
        ?.loadURL(to)
        .catch(() => undefined);
    }, address);
    for (const method of METHODS) {
      const result = await callOnceSettled(app.page, method);
      expect(result, `${method} from ${address}`).toMatchObject({ ok: false, error: { code: 'refused' } });
    }
  }
  expect(app.journal.events()).toHaveLength(events);
});

test('no frame inside the window gets the bridge', async ({ launch }) => {
  const app = await launch();
  for (const source of ['app://sayso/index.html', 'data:text/html,hello', 'about:blank']) {
    const reached = await app.page.evaluate(async (src) => {
      const frame = document.createElement('iframe');
      const settled = new Promise((resolve) => {
        frame.addEventListener('load', resolve);
        frame.addEventListener('error', resolve);
        document.addEventListener('securitypolicyviolation', resolve, { once: true });
      });
      frame.src = src;
      document.body.append(frame);
      await settled;
      try {
        return frame.contentWindow !== null && 'sayso' in frame.contentWindow;
      } catch {
        // Another origin: it shows nothing of itself, and a sandboxed frame has no preload.
        return false;
      }
    }, source);
    expect(reached, source).toBe(false);
  }
  for (const frame of app.page.frames().filter((one) => one !== app.page.mainFrame())) {
    expect(await frame.evaluate(() => 'sayso' in globalThis)).toBe(false);
  }
});

test('an answer out of a foreign page settles nothing', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: scripted('worker', [runs('touch', 'ran'), says('Over.')]) });
  const sessionId = await app.start({ agent: 'worker', prompt: 'Ask first', workspace: await makeFolder() });
  await app.reached(sessionId, 'waiting');
  const [row] = app.journal.requests(sessionId);
  const opened = app.electron.waitForEvent('window');
  await app.electron.evaluate(
    async ({ BrowserWindow }, preload) => {
      await new BrowserWindow({ webPreferences: { preload, sandbox: true } }).loadURL('app://sayso/index.html');
    },
    join(PROJECT, 'out/preload/index.cjs'),
  );
  const answer = { type: 'approve', remember: null };
  const given = { requestId: row?.id, digest: row?.body.digest, answer };
  const result = await callRaw(await opened, 'answerRequest', [given]);
  expect(result).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'pending' }]);
});
