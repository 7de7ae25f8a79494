import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claude } from '../support/agents';
import { expect, type SaysoApp, serverEnvironment, test } from '../support/app';
import { ask } from '../support/bridge';
import { consoleOf } from '../support/console';
import { failure, gate, type MessagesServer, message, say, text, toolCall } from '../support/messages-server';

/** Eight turns that each look at the folder and say so, the last of them near what the model takes in. */
function nearlyFull(server: MessagesServer, tokens: number): void {
  for (let step = 1; step <= 8; step += 1) {
    const input = step === 8 ? tokens : 1_000;
    const call = toolCall(`call_${step}`, 'list_dir', `{"path":".","limit":${step}}`);
    server.enqueue(message([text(`This is step ${step}.`), call], { usage: { input } }));
  }
}

const WORDS = 'a summary of 11 older messages and the last 6 word for word';

async function marked(app: SaysoApp, words: string): Promise<void> {
  const { timeline } = consoleOf(app.page);
  const mark = timeline.getByRole('article', { name: 'Older turns summarised' });
  await expect(mark).toContainText(words);
  await mark.getByRole('button', { name: /^Summary/ }).click();
  await expect(mark).toContainText('They asked for eight steps.');
}

test('a long conversation goes on with a summary: the timeline marks the place, and nothing else is missing', async ({
  launch,
  makeFolder,
  server,
}) => {
  const agents = claude('walker', { limits: { contextTokens: 64_000 } });
  const app = await launch({ agents, env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  nearlyFull(server, 60_000);
  const held = gate();
  server.enqueue(message([text('They asked ', held, 'for eight steps.')]), say('I have walked far.'));
  const sessionId = await app.start({ agent: 'walker', prompt: 'Walk eight steps', workspace: await makeFolder() });
  await ui.open('Walk eight steps');
  await held.reached;
  await expect(ui.timeline.getByRole('article', { name: 'Summarising older turns' })).toBeVisible();
  held.open();
  await expect(ui.status).toHaveText('Completed');
  await marked(app, WORDS);
  await expect(ui.timeline).toContainText('I have walked far.');
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).not.toContain('This is step 1.');

  // A restart shows the same, old words are found, and an export has all of it.
  await app.quit();
  const again = await launch({ home: app.home, env: serverEnvironment(server) });
  const after = consoleOf(again.page);
  await after.open('Walk eight steps');
  await marked(again, WORDS);
  const found = await ask(again.page, 'searchEvents', { query: '"step 1"', limit: 10, before: null });
  expect(found).toMatchObject({ kind: 'hits', hits: [{ sessionId }] });
  const path = join(again.home, 'walk.jsonl');
  await again.electron.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath });
  }, path);
  await ask(again.page, 'exportSession', { sessionId, format: 'jsonl' });
  expect(readFileSync(path, 'utf8')).toMatch(/This is step 1\..*This is step 8\..*They asked for eight steps\./s);
});

test('a prompt that the API refuses as too long is made shorter, and the run goes on', async ({
  launch,
  makeFolder,
  server,
}) => {
  const app = await launch({ agents: claude('walker'), env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  nearlyFull(server, 1_000);
  server.enqueue(
    failure(400, 'prompt is too long: 208310 tokens > 200000 maximum'),
    say('They asked for eight steps.'),
    say('I have walked far.'),
  );
  await app.start({ agent: 'walker', prompt: 'Walk eight steps', workspace: await makeFolder() });
  await ui.open('Walk eight steps');
  await expect(ui.status).toHaveText('Completed');
  // What was refused is shorter than any known context, so less of it stays than usual.
  await marked(app, 'a summary of 13 older messages and the last 4 word for word');
  await expect(ui.timeline).toContainText('I have walked far.');
});
