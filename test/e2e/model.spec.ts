import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claude } from '../support/agents';
import { expect, serverEnvironment, test } from '../support/app';
import { consoleOf, openCard } from '../support/console';
import { cutAfter, failure, gate, message, say, text, toolCall } from '../support/messages-server';

/** Writes down the arguments that it got. */
const WRITE_DOWN = 'require("fs").writeFileSync("argv.json", JSON.stringify(process.argv.slice(1)))';

test('a streamed answer appears word by word', async ({ launch, makeFolder, server }) => {
  const app = await launch({ agents: claude('writer'), env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  const [first, second] = [gate(), gate()];
  server.enqueue(say('Apples ', first, 'and pears ', second, 'and quinces.'));
  const sessionId = await app.start({ agent: 'writer', prompt: 'Name three fruits', workspace: await makeFolder() });
  await ui.open('Name three fruits');
  const answer = ui.timeline.getByRole('article', { name: 'Agent', exact: true });

  await first.reached;
  await expect(answer).toContainText('Apples');
  await expect(answer).not.toContainText('pears');
  await expect(ui.status).toHaveText('Thinking');
  first.open();
  await second.reached;
  await expect(answer).toContainText('Apples and pears');
  await expect(answer).not.toContainText('quinces');
  second.open();
  await expect(answer).toContainText('Apples and pears and quinces.');
  await expect(ui.status).toHaveText('Completed');
  await expect(answer).toHaveCount(1);
  expect(
    app.journal
      .bodies(sessionId, 'model_delta')
      .map((delta) => delta.text)
      .join(''),
  ).toBe('Apples and pears and quinces.');
});

test('a call whose arguments come in many pieces runs with exactly those arguments', async ({
  launch,
  makeFolder,
  server,
}) => {
  const app = await launch({ agents: claude('caller'), env: serverEnvironment(server) });
  const workspace = await makeFolder({ 'a.txt': 'one\ntwo\n' });
  const given = ['9007199254740993', 'caf\u00e9', '\u{1f600}', '--flag=a b', '', '"quoted"', 'two\nlines'];
  const spelled = `{ "argv" : ["node","-e",${JSON.stringify(WRITE_DOWN)},"--", "9007199254740993","caf\\u00e9","\\ud83d\\ude00","--flag=a b","","\\"quoted\\"","two\\nlines"] , "timeoutSec" : 30 }`;
  const number = '{"path":"a.txt","startLine":9007199254740993}';
  server.enqueue(
    // One character a delta: every escape and the big number are cut in their middle.
    message([
      text('I look.'),
      toolCall('call_a', 'run_command', ...spelled),
      toolCall('call_b', 'read_file', ...number),
    ]),
    say('Done.'),
  );
  const sessionId = await app.start({ agent: 'caller', prompt: 'Call it', workspace });
  const card = await openCard(consoleOf(app.page).cards());
  await expect(card.command).toHaveCount(4 + given.length);
  await expect(card.command.nth(4)).toHaveText('9007199254740993');
  await expect(card.command.nth(5)).toHaveText('caf\u00e9');
  await card.approve.click();

  await app.reached(sessionId, 'completed');
  expect(JSON.parse(await readFile(join(workspace, 'argv.json'), 'utf8'))).toEqual(given);
  const calls = app.journal.bodies(sessionId, 'assistant_message').flatMap((reply) => reply.blocks);
  expect(calls).toMatchObject([
    { type: 'text' },
    { type: 'tool_use', id: 'call_a', inputText: spelled },
    { type: 'tool_use', id: 'call_b', inputText: number },
    { type: 'text' },
  ]);
  const [first] = app.journal.bodies(sessionId, 'call_started');
  expect(first?.preview).toMatchObject({ kind: 'command', argv: ['node', '-e', WRITE_DOWN, '--', ...given] });
  // Both results went back under their calls' own ids.
  const results = JSON.stringify(server.requests[1]?.body.messages.at(-1));
  expect(results).toContain('"tool_use_id":"call_a"');
  expect(results).toContain('"tool_use_id":"call_b"');
});

test('429 and 529 are retried, and the answer is shown once', async ({ launch, makeFolder, server }) => {
  const app = await launch({ agents: claude('patient'), env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  server.enqueue(failure(429, 'slow down'), failure(529, 'overloaded'), say('Here at last.'));
  const sessionId = await app.start({ agent: 'patient', prompt: 'Ask again', workspace: await makeFolder() });
  await ui.open('Ask again');

  await expect(ui.status).toHaveText('Completed');
  expect(server.requests).toHaveLength(3);
  const reasons = app.journal.bodies(sessionId, 'model_retry').map((retry) => retry.reason);
  expect(reasons).toEqual([expect.stringContaining('429'), expect.stringContaining('529')]);
  await expect(ui.timeline.getByRole('article', { name: 'Agent', exact: true })).toHaveCount(1);
  await expect(ui.timeline).toContainText('Here at last.');
});

test('a stream that is cut is asked for again as a whole, and shown once', async ({ launch, makeFolder, server }) => {
  const app = await launch({ agents: claude('storyteller'), env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  const before = gate();
  // message_start, content_block_start, two pieces and the gate between them; then the socket is destroyed.
  server.enqueue(
    cutAfter(5, say('Once upon ', before, 'a time ', 'there was an end.')),
    say('Once upon ', 'a time ', 'there was an end.'),
  );
  const sessionId = await app.start({ agent: 'storyteller', prompt: 'Tell it whole', workspace: await makeFolder() });
  await ui.open('Tell it whole');
  await before.reached;
  await expect(ui.timeline).toContainText('Once upon');
  before.open();

  await expect(ui.status).toHaveText('Completed');
  expect(server.requests).toHaveLength(2);
  const shown = ((await ui.timeline.textContent()) ?? '').split('Once upon').length - 1;
  expect(shown, 'how often the answer stands in the timeline').toBe(1);
  await expect(ui.timeline).toContainText('Once upon a time there was an end.');
  expect(app.journal.bodies(sessionId, 'assistant_message')).toHaveLength(1);
});

const FATAL = [
  { status: 400, said: 'max_tokens: 8192 is too many', readable: /refused the request \(400\).*max_tokens/ },
  { status: 401, said: 'invalid x-api-key', readable: /key was refused \(401\).*Settings/ },
] as const;

for (const { status, said, readable } of FATAL) {
  test(`${status} ends the run with a readable error, and is not retried`, async ({ launch, makeFolder, server }) => {
    const app = await launch({ agents: claude('doomed'), env: serverEnvironment(server) });
    const ui = consoleOf(app.page);
    server.enqueue(failure(status, said));
    await app.start({ agent: 'doomed', prompt: 'Fail clearly', workspace: await makeFolder() });
    await ui.open('Fail clearly');

    await expect(ui.status).toHaveText('Failed');
    const end = ui.timeline.getByRole('article', { name: 'Run ended' });
    await expect(end).toContainText(readable);
    await expect(end).not.toContainText(/test-key|\bat .*\.js|\bError:|undefined|\[object/);
    await expect(ui.main.getByRole('button', { name: 'Resume' })).toBeVisible();
    expect(server.requests).toHaveLength(1);
  });
}

test('a reply that is cut at the output limit runs no call', async ({ launch, makeFolder, server }) => {
  const agents = claude('limited', { guardrails: { approvalMode: 'auto' } });
  const app = await launch({ agents, env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  const whole = toolCall('call_1', 'run_command', '{"argv":["touch",', '"whole"]}');
  const torn = toolCall('call_2', 'run_command', '{"argv":["touch","torn"');
  server.enqueue(message([text('I touch two files.'), whole, torn], { stopReason: 'max_tokens' }));
  const sessionId = await app.start({ agent: 'limited', prompt: 'Say too much', workspace });
  await ui.open('Say too much');

  await expect(ui.status).toHaveText('Failed');
  await expect(ui.timeline.getByRole('article', { name: 'Run ended' })).toContainText(/output limit/);
  expect(app.journal.bodies(sessionId, 'call_started')).toEqual([]);
  expect(app.journal.requests(sessionId)).toEqual([]);
  await expect(readFile(join(workspace, 'whole'))).rejects.toThrow(/ENOENT/);
  await expect(readFile(join(workspace, 'torn'))).rejects.toThrow(/ENOENT/);

  // The conversation is still one that the API takes: the session goes on with a message.
  server.enqueue(say('Shorter this time.'));
  await ui.message.fill('Say less');
  await ui.send.click();
  await expect(ui.status).toHaveText('Completed');
  await expect(ui.timeline).toContainText('Shorter this time.');
});
