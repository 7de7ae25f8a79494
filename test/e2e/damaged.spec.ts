import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { says, scripted } from '../support/agents';
import { expect, test } from '../support/app';
import { consoleOf } from '../support/console';
import { damagePage, pageInTheMiddle } from '../support/damage';

const AGENT = scripted('talker', [says('All is said.')]);

for (const from of ['the last backup', 'an empty store'] as const) {
  test(`a damaged store is set aside whole, and the app goes on with ${from}`, async ({ launch, makeFolder }) => {
    const home = await makeFolder();
    const first = await launch({ home, agents: AGENT });
    const sessionId = await first.start({ agent: 'talker', prompt: 'Say it', workspace: await makeFolder() });
    await first.reached(sessionId, 'completed');
    const backup = join(home, 'backups', 'last.sqlite');
    await expect.poll(() => existsSync(backup)).toBe(true);
    await first.quit();

    const file = join(home, 'sayso.sqlite');
    writeFileSync(backup, readFileSync(file));
    const damaged = Buffer.from(readFileSync(file)).fill(0x41, 0, 4_096);
    writeFileSync(file, damaged);

    const app = await launch({ home, agents: AGENT });
    const ui = consoleOf(app.page);
    const choice = from === 'the last backup' ? /restore the last backup/ : /start empty/;
    await app.page.getByRole('button', { name: choice }).click();
    await expect(app.page.getByText(/The damaged store is kept at/)).toBeVisible();
    const aside = readdirSync(home).find((name) => /^sayso\.sqlite\.damaged-\d+$/.test(name));
    if (aside === undefined) throw new Error('it was not set aside');
    expect(readFileSync(join(home, aside)).equals(damaged)).toBe(true);
    if (from === 'the last backup') await ui.open('Say it');
    else await expect(ui.demo.first()).toBeVisible();
    expect(app.journal.sessions()).toHaveLength(from === 'the last backup' ? 1 : 0);
  });
}

test('a store that is damaged in its middle is found, said, and at the next start set aside for its last backup', async ({
  launch,
  makeFolder,
}) => {
  const home = await makeFolder();
  const file = join(home, 'sayso.sqlite');
  const backup = join(home, 'backups', 'last.sqlite');
  const agents = { ...AGENT, ...scripted('long', [says('many words '.repeat(20_000))]) };
  const first = await launch({ home, agents });
  const kept = await first.start({ agent: 'long', prompt: 'Say much', workspace: await makeFolder() });
  await first.reached(kept, 'completed');
  await first.quit();
  const page = pageInTheMiddle(file);
  rmSync(backup);

  const second = await launch({ home, agents });
  await expect.poll(() => existsSync(backup)).toBe(true);
  const good = readFileSync(backup);
  const lost = await second.start({ agent: 'talker', prompt: 'Say it', workspace: await makeFolder() });
  await second.reached(lost, 'completed');
  await second.kill9();
  damagePage(file, page);

  const third = await launch({ home, agents });
  await expect(third.page.getByText(/The store is damaged: .*Quit Sayso and start it again/)).toBeVisible();
  expect(readFileSync(backup).equals(good)).toBe(true);
  await third.quit();
  const damaged = readFileSync(file);

  const app = await launch({ home, agents });
  await expect(app.page.getByRole('main')).toContainText('is damaged');
  await app.page.getByRole('button', { name: /restore the last backup/ }).click();
  await expect(app.page.getByText(/The damaged store is kept at/)).toBeVisible();
  const aside = readdirSync(home).find((name) => /^sayso\.sqlite\.damaged-\d+$/.test(name));
  if (aside === undefined) throw new Error('it was not set aside');
  expect(readFileSync(join(home, aside)).equals(damaged)).toBe(true);
  await consoleOf(app.page).open('Say much');
  expect(app.journal.sessions()).toHaveLength(1);
  await app.quit();

  const last = await launch({ home, agents });
  await consoleOf(last.page).open('Say much');
});
