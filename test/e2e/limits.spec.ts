import { randomUUID } from 'node:crypto';
import { calls, claude, runs, says, scripted } from '../support/agents';
import { expect, serverEnvironment, test } from '../support/app';
import { consoleOf } from '../support/console';
import { gate, message, say, silence, text, toolCall } from '../support/messages-server';
import { pidsWithArgument } from '../support/processes';

const auto = { guardrails: { approvalMode: 'auto' } } as const;
/** Different every time, so that it is no repetition. */
const look = (index: number) => calls('list_dir', { path: '.', limit: index + 1 });

test('maxTurns ends the run at its limit, and Resume goes on', async ({ launch, makeFolder }) => {
  const turns = [look(0), look(1), look(2), says('Over.')];
  const app = await launch({ agents: scripted('walker', turns, { limits: { maxTurns: 2 } }) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'walker', prompt: 'Walk far', workspace: await makeFolder() });
  await ui.open('Walk far');
  await expect(ui.status).toHaveText('Limit reached');
  await expect(ui.timeline.getByRole('article', { name: 'Run ended' })).toContainText('limit of 2 turns');
  expect(app.journal.bodies(sessionId, 'assistant_message')).toHaveLength(2);

  await ui.resume.click();
  await expect(ui.status).toHaveText('Completed');
  expect(app.journal.bodies(sessionId, 'assistant_message')).toHaveLength(4);
});

test('maxTokens ends the run before the tools of the reply that used them up', async ({
  launch,
  makeFolder,
  server,
}) => {
  const agents = claude('spender', { ...auto, limits: { maxTokens: 1_000 } });
  const app = await launch({ agents, env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  const call = toolCall('call_1', 'run_command', '{"argv":["touch","made"]}');
  server.enqueue(message([text('I go on.'), call], { usage: { input: 900, output: 200 } }));
  const sessionId = await app.start({ agent: 'spender', prompt: 'Spend it all', workspace: await makeFolder() });
  await ui.open('Spend it all');
  await expect(ui.status).toHaveText('Limit reached');
  await expect(ui.timeline.getByRole('article', { name: 'Run ended' })).toContainText('1,000 tokens');
  expect(app.journal.bodies(sessionId, 'call_started')).toEqual([]);
  expect(server.requests).toHaveLength(1);
});

test('a final answer is delivered although it used up the limit', async ({ launch, makeFolder, server }) => {
  const app = await launch({
    agents: claude('spender', { limits: { maxTokens: 1_000, maxTurns: 1 } }),
    env: serverEnvironment(server),
  });
  const ui = consoleOf(app.page);
  server.enqueue(message([text('The last word.')], { usage: { input: 5_000, output: 200 } }));
  await app.start({ agent: 'spender', prompt: 'Answer at once', workspace: await makeFolder() });
  await ui.open('Answer at once');
  await expect(ui.status).toHaveText('Completed');
  await expect(ui.timeline).toContainText('The last word.');
});

test('the same calls three times warn the model, and five times end the run', async ({ launch, makeFolder }) => {
  const app = await launch({
    agents: scripted(
      'parrot',
      Array.from({ length: 7 }, () => look(0)),
    ),
  });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'parrot', prompt: 'Repeat', workspace: await makeFolder() });
  await ui.open('Repeat');
  await expect(ui.status).toHaveText('Failed');
  await expect(ui.timeline.getByRole('article', { name: 'Run ended' })).toContainText('five times in a row');
  expect(app.journal.bodies(sessionId, 'assistant_message')).toHaveLength(5);
  expect(app.journal.bodies(sessionId, 'call_started')).toHaveLength(4);
  const order = app.journal
    .events(sessionId)
    .map(({ body }) => (body.type === 'notice' && body.forModel ? 'warned' : body.type));
  const turnsBefore = order.slice(0, order.indexOf('warned')).filter((type) => type === 'assistant_message');
  expect(order.filter((type) => type === 'warned')).toHaveLength(1);
  expect(turnsBefore).toHaveLength(3);
});

test('toolTimeout ends a command with its whole tree, and tells the model', async ({ launch, makeFolder }) => {
  const mark = `sayso-e2e-${randomUUID()}`;
  const code = `require('child_process').spawn('setsid', [process.execPath, '-e', 'setInterval(() => {}, 1000)', ${JSON.stringify(mark)}], { stdio: 'ignore' });
    console.log('started'); setInterval(() => {}, 1000);`;
  const agents = scripted('sleeper', [runs('node', '-e', code, mark), says('Over.')], {
    ...auto,
    limits: { toolTimeout: '2s' },
  });
  const app = await launch({ agents });
  const sessionId = await app.start({ agent: 'sleeper', prompt: 'Sleep long', workspace: await makeFolder() });
  await app.reached(sessionId, 'completed');
  const [result] = app.journal.bodies(sessionId, 'call_result');
  expect(result?.content).toMatch(/timed out after 2 s/);
  expect(result?.content).toContain('started');
  expect(await pidsWithArgument(mark)).toEqual([]);
});

test('waiting for the operator uses up no tool time', async ({ launch, makeFolder }) => {
  const agents = scripted('waiter', [runs('touch', 'made'), says('Over.')], {
    guardrails: { approvalTimeout: '5s' },
    limits: { toolTimeout: '1s' },
  });
  const app = await launch({ agents });
  const sessionId = await app.start({ agent: 'waiter', prompt: 'Wait long', workspace: await makeFolder() });
  await app.reached(sessionId, 'completed');
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'expired' }]);
});

test('callTimeout ends a model call that never answers, in words', async ({ launch, makeFolder, server }) => {
  const app = await launch({
    agents: claude('waiter', { limits: { callTimeout: '1s' } }),
    env: serverEnvironment(server),
  });
  const ui = consoleOf(app.page);
  server.respond(() => silence);
  await app.start({ agent: 'waiter', prompt: 'Answer me', workspace: await makeFolder() });
  await ui.open('Answer me');
  await expect(ui.status).toHaveText('Failed', { timeout: 20_000 });
  await expect(ui.timeline.getByRole('article', { name: 'Run ended' })).toContainText(/\b1 s\b/);
});

test('a message to a running session is read at its next turn', async ({ launch, makeFolder, server }) => {
  const app = await launch({ agents: claude('listener', auto), env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  const hold = gate();
  server.enqueue(say('I am thinking ', hold, 'and I am done.'), say('Blue it is.'));
  await app.start({ agent: 'listener', prompt: 'Choose a colour', workspace: await makeFolder() });
  await ui.open('Choose a colour');
  await hold.reached;
  await ui.message.fill('Take blue');
  await ui.send.click();
  await expect(ui.timeline.getByRole('article', { name: 'You' }).filter({ hasText: 'Take blue' })).toBeVisible();
  await expect(ui.message).toHaveValue('');
  hold.open();

  await expect(ui.status).toHaveText('Completed');
  await expect(ui.timeline).toContainText('Blue it is.');
  expect(server.requests).toHaveLength(2);
  expect(JSON.stringify(server.requests[1]?.body.messages.at(-1))).toContain('Take blue');
});

test('a message to an ended session begins a new run of the same conversation', async ({
  launch,
  makeFolder,
  server,
}) => {
  const app = await launch({ agents: claude('listener'), env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  server.enqueue(say('Red.'), say('Then green.'));
  const sessionId = await app.start({ agent: 'listener', prompt: 'Choose a colour', workspace: await makeFolder() });
  await ui.open('Choose a colour');
  await expect(ui.status).toHaveText('Completed');
  await ui.message.fill('Another one');
  await ui.message.press('Enter');
  await expect(ui.timeline).toContainText('Then green.');
  await expect(ui.status).toHaveText('Completed');
  const conversation = JSON.stringify(server.requests[1]?.body.messages);
  for (const words of ['Choose a colour', 'Red.', 'Another one']) expect(conversation).toContain(words);
  expect(app.journal.bodies(sessionId, 'run_started')).toMatchObject([{ resumed: false }, { resumed: true }]);
});
