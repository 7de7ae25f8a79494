import type { Page } from '@playwright/test';
import { openDatabase } from '../../src/main/sessions/database';
import type { SessionId } from '../../src/shared/ids';
import { expect, type SaysoApp, test } from '../support/app';
import { fillBigStore, LONG_TITLE } from '../support/big-store';
import { consoleOf } from '../support/console';
import { phrasesOf } from '../support/phrases';

/** More would have to be drawn, measured and kept than a screen and what stands beside it. */
const MOST_ROWS = 80;

interface Long {
  readonly app: SaysoApp;
  readonly sessionId: SessionId;
}

/** A store in which one session has 20,000 events. */
async function launchLong(
  launch: (options: { readonly home: string }) => Promise<SaysoApp>,
  home: string,
): Promise<Long> {
  const { database } = await openDatabase(home);
  const sessionId = fillBigStore(database, { events: 26_000, longSession: 20_000, sessions: 300 });
  database.prepare('UPDATE sessions SET updated_at = ? WHERE id = ?').run(Date.now(), sessionId);
  database.close();
  const app = await launch({ home });
  await consoleOf(app.page).open(LONG_TITLE);
  return { app, sessionId };
}

/**
 * Goes to the first entry that is loaded, again and again, until there is none before it. Between two frames in which it
 * did not scroll itself, a page may come before what stands at the top; that has to stay where it is.
 */
async function scrollToFirst(page: Page) {
  return page.evaluate(async () => {
    const feed = document.querySelector('.feed');
    if (feed === null) throw new Error('there is no timeline');
    const edge = feed.getBoundingClientRect().top;
    const atTop = () => {
      const all = [...feed.querySelectorAll('.virtual-row')];
      const row = all.find((one) => one.getBoundingClientRect().bottom > edge);
      return row === undefined ? null : { row, top: row.getBoundingClientRect().top, number: numberOf(row) };
    };
    const numberOf = (row: Element) => row.querySelector('article')?.getAttribute('aria-posinset');
    let [rows, moved, pages] = [0, 0, 0];
    let before = atTop();
    for (let quiet = 0; quiet < 40; quiet += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      rows = Math.max(rows, feed.querySelectorAll('.virtual-row').length);
      if (before?.row.isConnected && numberOf(before.row) !== before.number) {
        pages += 1;
        moved = Math.max(moved, Math.abs(before.row.getBoundingClientRect().top - before.top));
        quiet = 0;
      }
      before = atTop();
      if (quiet % 5 !== 4 || feed.scrollTop === 0) continue;
      feed.scrollTop = 0;
      before = null;
      quiet = 0;
    }
    return { rows, moved, pages };
  });
}

test('of a session of 20,000 events few rows are drawn, however far one scrolls, and what is read stays in its place', async ({
  launch,
  makeFolder,
}) => {
  const { app } = await launchLong(launch, await makeFolder());
  const { timeline, main } = consoleOf(app.page);
  await expect(timeline.getByRole('article', { name: 'Run ended' }).last()).toBeInViewport();
  const { rows, moved, pages } = await scrollToFirst(app.page);
  expect(rows).toBeLessThan(MOST_ROWS);
  expect(pages).toBeGreaterThan(20);
  expect(moved).toBeLessThanOrEqual(2);
  await expect(timeline.getByRole('article').first()).toHaveAccessibleName('You');
  await expect(timeline.getByRole('article').first()).toBeInViewport();

  await main.getByRole('button', { name: 'To the newest' }).click();
  await expect(timeline.getByRole('article', { name: 'Run ended' }).last()).toBeInViewport();
  await expect(main.getByRole('button', { name: 'To the newest' })).toHaveCount(0);

  await expect(timeline).toBeFocused();
  await app.page.keyboard.press('Home');
  await expect(timeline.getByRole('article').first()).toHaveAccessibleName('You');
  await expect(timeline.getByRole('article').first()).toBeInViewport();
  await app.page.keyboard.press('End');
  await expect(timeline.getByRole('article', { name: 'Run ended' }).last()).toBeInViewport();
});

test('a hit in the middle of a long session is opened there, and a fork from the menu is of all of it', async ({
  launch,
  makeFolder,
}) => {
  const { app, sessionId } = await launchLong(launch, await makeFolder());
  const ui = consoleOf(app.page);
  const [phrase = ''] = phrasesOf(app.home, sessionId, 1);
  await ui.sessions.getByRole('searchbox', { name: 'Search sessions' }).fill(phrase);
  await ui.sessions.getByRole('region', { name: 'Found in journals' }).getByRole('button').first().click();
  const found = ui.timeline.locator('.found');
  await expect(found).toContainText(phrase.replaceAll('"', ''));
  await expect(found).toBeInViewport({ ratio: 1 });
  expect(await ui.timeline.getByRole('article').count()).toBeLessThan(MOST_ROWS);
  await expect(ui.main.getByRole('button', { name: 'To the newest' })).toBeVisible();

  await ui.main.getByRole('button', { name: 'Session menu' }).click();
  await app.page.getByRole('menuitem', { name: 'Fork from here' }).click();
  await expect(ui.main.getByRole('button', { name: `forked from “${LONG_TITLE}”` })).toBeVisible({ timeout: 30_000 });
  const fork = app.journal.sessions().at(-1);
  if (fork === undefined) throw new Error('there is no fork');
  const replies = (id: SessionId) => app.journal.bodies(id, 'assistant_message').length;
  expect(replies(fork.id)).toBe(replies(sessionId));
});
