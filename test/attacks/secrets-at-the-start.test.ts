import { afterEach, beforeEach, expect, it } from 'vitest';
import { says, scripted } from '../support/agents';
import { wholeJournal } from '../support/store';
import { openSupervised, type Supervised } from '../support/supervisor';

const SECRET = `ghp_${'aB3dE6gH9k'.repeat(4).slice(0, 36)}`;

let app: Supervised;
beforeEach(async () => {
  app = await openSupervised();
});
afterEach(() => app.close());

it('a server’s last words before the run began stand in the journal without the secret in them', async () => {
  const program = `console.error('refused: ${SECRET}'); process.exit(1)`;
  const mcp = [{ name: 'dies', command: [process.execPath, '-e', program] }];
  const { store, supervisor } = app;
  const id = await supervisor.start(await app.agent(scripted('a', [says('Done.')], { mcp })));
  const journal = () => JSON.stringify(wholeJournal(store, id));
  expect(journal()).toContain('refused: ');
  expect(journal()).not.toContain(SECRET);
  await supervisor.close();
  await supervisor.close();
});
