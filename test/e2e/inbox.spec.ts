import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestId, SessionId } from '../../src/shared/ids';
import type { Request } from '../../src/shared/requests';
import { runs, says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { ask, call } from '../support/bridge';
import { consoleOf, openCard } from '../support/console';

/** Leaves a trace of every time that it ran. */
const TRACE = ['node', '-e', 'require("fs").appendFileSync("trace", "ran;")'] as const;

const asking = (name: string, approvalTimeout = '120s') =>
  scripted(name, [runs(...TRACE), says('Over.')], { guardrails: { approvalTimeout } });

async function trace(workspace: string): Promise<string> {
  return readFile(join(workspace, 'trace'), 'utf8').catch(() => '');
}

/** Starts a run and waits for its request. */
async function startAsking(app: SaysoApp, agent: string, prompt: string, workspace: string) {
  const sessionId = await app.start({ agent, prompt, workspace });
  const request = await openRequest(app, sessionId);
  return { sessionId, request };
}

async function openRequest(app: SaysoApp, sessionId: SessionId): Promise<Request> {
  const pending = () => app.journal.requests(sessionId).find((row) => row.state === 'pending');
  await expect.poll(pending).toBeDefined();
  const row = pending();
  if (row === undefined) throw new Error('the request has gone');
  return row.body;
}

function approve({ id, digest }: Pick<Request, 'id' | 'digest'>) {
  return { requestId: id, digest, answer: { type: 'approve' as const, remember: null } };
}

test('two runs ask at once: two requests with clocks of their own, and answering one leaves the other', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: { ...asking('first', '60s'), ...asking('second', '300s') } });
  const ui = consoleOf(app.page);
  const [one, two] = [await makeFolder(), await makeFolder()];
  const first = await startAsking(app, 'first', 'Prune the roses', one);
  const second = await startAsking(app, 'second', 'Mow the lawn', two);

  await expect(ui.cards()).toHaveCount(2);
  await expect(app.page).toHaveTitle(/2/);
  expect(second.request.expiresAt - first.request.expiresAt).toBeGreaterThan(200_000);
  await expect(ui.cards('Prune the roses').getByRole('timer')).toHaveText(/^0:[0-5]\d$|^1:00$/);
  await expect(ui.cards('Mow the lawn').getByRole('timer')).toHaveText(/^4:[0-5]\d$|^5:00$/);

  const mow = await openCard(ui.cards('Mow the lawn'));
  await mow.approve.click();
  await app.reached(second.sessionId, 'completed');
  expect(await trace(two)).toBe('ran;');
  expect(await trace(one)).toBe('');
  expect(app.journal.requests(first.sessionId).map((row) => row.state)).toEqual(['pending']);
  expect((await ask(app.page, 'listRequests', {})).requests.map((request) => request.id)).toEqual([first.request.id]);

  const prune = await openCard(ui.cards('Prune the roses'));
  await prune.decline.click();
  await app.reached(first.sessionId, 'completed');
  expect(await trace(one)).toBe('');
});

test('nobody answers: it expires, nothing ran, and the timeline says that nobody answered', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: asking('patient', '5s') });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  const { sessionId } = await startAsking(app, 'patient', 'Wait for nobody', workspace);
  await ui.open('Wait for nobody');

  await app.reached(sessionId, 'completed');
  await expectExpired(app, sessionId, workspace);
  await expect(ui.timeline.getByRole('article', { name: 'Call: run_command' })).toContainText('nobody answered');
  await expect(ui.timeline).not.toContainText('declined by you');
  await expect(ui.inbox.getByRole('button', { name: 'Approve', exact: true })).toHaveCount(0);
});

test('a request goes on while the window is closed, is listed again when it is back, and expires on time', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: asking('patient', '10s') });
  const workspace = await makeFolder();
  const { sessionId, request } = await startAsking(app, 'patient', 'Wait behind a closed window', workspace);

  await app.closeWindow();
  await app.reopenWindow();
  const back = consoleOf(app.page);
  await expect(back.cards('Wait behind a closed window')).toBeVisible();
  const [listed] = (await ask(app.page, 'listRequests', {})).requests;
  expect(listed).toEqual(request);

  await app.closeWindow();
  await app.reached(sessionId, 'completed');
  await expectExpired(app, sessionId, workspace);
  await app.reopenWindow();
  const ui = consoleOf(app.page);
  await ui.open('Wait behind a closed window');
  await expect(ui.timeline.getByRole('article', { name: 'Call: run_command' })).toContainText('nobody answered');
});

test('a request outlives a crashed renderer: it is listed again after the reload, and then expires', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: asking('patient', '10s') });
  const workspace = await makeFolder();
  const { sessionId, request } = await startAsking(app, 'patient', 'Wait through a crash', workspace);
  await expect(consoleOf(app.page).cards()).toBeVisible();

  await app.page.evaluate(() => document.body.setAttribute('data-before-crash', ''));
  await app.crashRenderer();
  const card = `document.querySelector('[aria-label="Approval inbox"] article[aria-label="Approval: run_command"]')`;
  const reloaded = `!document.body.hasAttribute('data-before-crash') && ${card} !== null`;
  await expect.poll(() => app.inWindow<boolean>(reloaded)).toBe(true);
  const pending = app.journal.requests(sessionId);
  expect(pending.map(({ id, state }) => ({ id, state }))).toEqual([{ id: request.id, state: 'pending' }]);

  await app.reached(sessionId, 'completed');
  await expectExpired(app, sessionId, workspace);
  await expect
    .poll(() => app.inWindow<string>('document.querySelector("[role=feed]")?.textContent ?? ""'))
    .toMatch(/nobody answered/);
});

test('approving twice runs it once: the second answer is refused and changes nothing', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: asking('worker') });
  const workspace = await makeFolder();
  const { sessionId, request } = await startAsking(app, 'worker', 'Do it once', workspace);

  expect(await call(app.page, 'answerRequest', approve(request))).toEqual({ ok: true, value: {} });
  const second = await call(app.page, 'answerRequest', approve(request));
  expect(second).toMatchObject({ ok: false, error: { code: 'conflict' } });
  await app.reached(sessionId, 'completed');
  const third = await call(app.page, 'answerRequest', {
    requestId: request.id,
    digest: request.digest,
    answer: { type: 'decline' },
  });
  expect(third).toMatchObject({ ok: false, error: { code: 'conflict' } });
  expect(await trace(workspace)).toBe('ran;');
  expect(app.journal.bodies(sessionId, 'request_settled')).toHaveLength(1);
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'approved', settlement: { by: 'operator' } }]);
});

const GOES: Readonly<Record<string, (app: SaysoApp) => Promise<unknown>>> = {
  'is closed': (app) => app.closeWindow(),
  crashes: (app) => app.crashRenderer(),
  'is loaded again': (app) => app.page.reload(),
};
for (const [how, go] of Object.entries(GOES)) {
  test(`a window that ${how} in the moment of an approval leaves it given or not given, and never half`, async ({
    launch,
    makeFolder,
  }) => {
    const app = await launch({ agents: asking('worker') });
    const workspace = await makeFolder();
    const { sessionId, request } = await startAsking(app, 'worker', 'Do it once', workspace);
    const settled = (): boolean => app.journal.requests(sessionId)[0]?.state !== 'pending';

    const sent = call(app.page, 'answerRequest', approve(request)).catch(() => null);
    await Promise.all([sent, go(app).catch(() => null)]);
    if ((await app.windowCount()) === 0) await app.reopenWindow();
    // Not given, it is open as before, in whatever window there is now.
    if (!settled()) {
      const again = `sayso.answerRequest(${JSON.stringify(approve(request))}).then(() => true)`;
      await expect.poll(() => app.inWindow<boolean>(again)).toBe(true);
    }
    await app.reached(sessionId, 'completed');
    expect(await trace(workspace)).toBe('ran;');
    expect(app.journal.bodies(sessionId, 'request_settled')).toHaveLength(1);
    expect(app.journal.bodies(sessionId, 'call_started')).toHaveLength(1);
    expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'approved', settlement: { by: 'operator' } }]);
  });
}

test('a double click on Approve runs it once', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: asking('worker') });
  const workspace = await makeFolder();
  const { sessionId } = await startAsking(app, 'worker', 'Do it once', workspace);

  const card = await openCard(consoleOf(app.page).cards());
  await expect(card.approve).toBeEnabled();
  await card.approve.dblclick();
  await app.reached(sessionId, 'completed');
  expect(await trace(workspace)).toBe('ran;');
  expect(app.journal.bodies(sessionId, 'call_started')).toHaveLength(1);
});

test('approving after the expiry is refused, and nothing runs', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: asking('patient', '5s') });
  const workspace = await makeFolder();
  const { sessionId, request } = await startAsking(app, 'patient', 'Too late', workspace);
  await app.reached(sessionId, 'completed');

  const late = await call(app.page, 'answerRequest', approve(request));
  expect(late).toMatchObject({ ok: false, error: { code: 'conflict', message: expect.stringMatching(/expired/) } });
  await expectExpired(app, sessionId, workspace);
});

test('a wrong digest is refused, and the request stays open as it was', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: asking('worker') });
  const workspace = await makeFolder();
  const { sessionId, request } = await startAsking(app, 'worker', 'Mind the digest', workspace);

  for (const digest of ['0'.repeat(64), request.digest.toUpperCase(), [...request.digest].reverse().join('')]) {
    const answer = await call(app.page, 'answerRequest', approve({ id: request.id, digest }));
    expect(answer).toMatchObject({ ok: false, error: { code: 'refused' } });
  }
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'pending', settlement: null }]);
  expect(await trace(workspace)).toBe('');
  expect(app.journal.bodies(sessionId, 'call_started')).toEqual([]);
  expect(await call(app.page, 'answerRequest', approve(request))).toMatchObject({ ok: true });
});

test('an unknown id is refused, and so is an answer of another kind', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: asking('worker') });
  const workspace = await makeFolder();
  const { sessionId, request } = await startAsking(app, 'worker', 'Who asks?', workspace);

  const nobody = '00000000-0000-4000-8000-000000000000' as RequestId;
  const unknown = await call(app.page, 'answerRequest', approve({ id: nobody, digest: request.digest }));
  expect(unknown).toMatchObject({ ok: false, error: { code: 'not-found' } });
  const confirmed = await call(app.page, 'answerRequest', {
    requestId: request.id,
    digest: request.digest,
    answer: { type: 'confirm', confirmed: true },
  });
  expect(confirmed).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'pending' }]);
  expect(await trace(workspace)).toBe('');
});

test('stopping a run settles its request as stopped, and nothing of it runs', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: asking('worker') });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  const { sessionId } = await startAsking(app, 'worker', 'Stop before it starts', workspace);
  await ui.open('Stop before it starts');

  await ui.stop.click();
  await expect(ui.status).toHaveText('Stopped');
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'stopped', settlement: { by: 'run' } }]);
  expect(app.journal.bodies(sessionId, 'tool_denied')).toMatchObject([{ outcome: 'stopped' }]);
  expect(await trace(workspace)).toBe('');
});

async function expectExpired(app: SaysoApp, sessionId: SessionId, workspace: string): Promise<void> {
  expect(await trace(workspace)).toBe('');
  expect(app.journal.bodies(sessionId, 'call_started')).toEqual([]);
  const [row] = app.journal.requests(sessionId);
  expect(row).toMatchObject({ state: 'expired', settlement: { outcome: 'expired', by: 'clock' } });
  const [denied] = app.journal.bodies(sessionId, 'tool_denied');
  expect(denied).toMatchObject({ tool: 'run_command', outcome: 'expired' });
  expect(denied?.reason).toMatch(/^Denied: nobody answered/);
  expect(denied?.reason).not.toMatch(/declined/);
}
