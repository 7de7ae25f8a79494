import { says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { wordOf } from '../support/chance';
import { consoleOf } from '../support/console';
import { phrasesOf } from '../support/phrases';
import { type BigHome, copyOfBigHome } from './app/big-home';
import { at, frameWords, say, spread } from './app/figures';
import { mainDelay, watchMain } from './app/main-process';
import { memoryOf, memoryWords } from './app/memory';

import { type Frames, putProbe } from './app/probe';
import { workOf, workWords } from './app/work';

let home: BigHome;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  home = await copyOfBigHome();
});
test.afterAll(() => home?.remove());

test.setTimeout(240_000);

async function started(launch: (options: { home: string; args: string[] }) => Promise<SaysoApp>) {
  const app = await launch({ home: home.folder, args: ['--js-flags=--expose-gc'] });
  const ui = consoleOf(app.page);
  await expect(ui.sessions.getByRole('link', { name: home.long })).toBeVisible({ timeout: 30_000 });
  await putProbe(app.page);
  await watchMain(app);
  return { app, ui, page: app.page };
}
type Started = Awaited<ReturnType<typeof started>>;

async function open({ page, ui }: Started, title: string) {
  await page.evaluate((name) => window.probe.opening(name), title);
  await ui.sessions.getByRole('link', { name: title, exact: true }).click();
  return page.evaluate(() => window.probe.ended());
}

test('open', async ({ launch }) => {
  const it = await started(launch);
  const [small, big]: [number[], number[]] = [[], []];
  await open(it, home.small[0] ?? '');
  await mainDelay(it.app);
  for (let round = 0; round < 20; round += 1) {
    big.push((await open(it, home.long)).ms);
    small.push((await open(it, home.small[round % home.small.length] ?? '')).ms);
  }
  console.log('From the click until the newest entries are painted');
  say(`a session of ${home.smallSession} events`, spread(small));
  say(`a session of ${home.longSession.toLocaleString('en')} events`, spread(big));
  say('ratio of the medians', (at(big, 0.5) / at(small, 0.5)).toFixed(2));
  say('', await mainDelay(it.app));
});

const SLOW = Array.from({ length: 300 }, () => -60);
const FAST = Array.from({ length: 300 }, () => -600);
const FLING = Array.from({ length: 200 }, (_, index) => -Math.round(1_200 * 0.985 ** index));

test('scroll', async ({ launch }) => {
  const it = await started(launch);
  const { page, app } = it;
  const display = at((await page.evaluate(() => window.probe.idle(60))).deltas, 0.5);
  console.log(`Scrolling; a frame of this display is ${display.toFixed(1)} ms`);
  const measure = async (name: string, frames: () => Promise<Frames>) => {
    await mainDelay(app);
    const { work, value } = await workOf(page, frames);
    say(name, frameWords(value, display));
    say('', workWords(work, value.deltas.length));
    say('', await mainDelay(app));
  };
  const scroll = (steps: readonly number[]) =>
    page.evaluate((all) => window.probe.scroll({ of: '.feed', steps: all }), steps);
  for (const [name, steps] of [
    ['60 px a frame', SLOW],
    ['600 px a frame', FAST],
    ['a fling', FLING],
  ] as const) {
    await measure(`${name}: plain rows`, () => page.evaluate((all) => window.probe.plain(all), steps));
    await open(it, home.long);
    await measure(`${name}: up`, () => scroll(steps));
    await measure(`${name}: down again`, () => scroll(steps.map((step) => -step)));
    await open(it, home.small[0] ?? '');
  }
});

/** What is typed: rare, middling and common words, a phrase, filters. */
const QUERIES = [
  wordOf(18_999),
  `${wordOf(400)} ${wordOf(20)}`,
  `${wordOf(0)} ${wordOf(1)}`,
  `"${wordOf(0)} ${wordOf(1)}"`,
  `curl ${wordOf(0)}`,
  'outcome:declined tool:shell curl',
  'label:network terraform',
  `agent:triage since:2026-03 ${wordOf(2)}`,
];

async function type({ page, ui }: Started, what: 'sessions' | 'hits', query: string) {
  const box = ui.sessions.getByRole('searchbox', { name: 'Search sessions' });
  await box.fill('');
  await box.focus();
  await page.evaluate(() => window.probe.idle(10));
  const keys: number[] = [];
  let longest = 0;
  for (const key of query) {
    await page.evaluate((list) => window.probe.typing(list), what);
    await page.keyboard.type(key);
    const ended = await page.evaluate(() => window.probe.ended());
    keys.push(ended.ms);
    longest = Math.max(longest, ended.longest);
  }
  return { keys, longest };
}

test('search', async ({ launch }) => {
  const it = await started(launch);
  await open(it, home.long);
  await type(it, 'hits', 'warm');
  for (const [what, name] of [
    ['hits', 'From a key until the first fifty hits are painted'],
    ['sessions', 'From a key until the list of 10,000 sessions is painted'],
  ] as const) {
    console.log(name);
    await mainDelay(it.app);
    const all: number[] = [];
    for (const query of QUERIES) {
      const { keys, longest } = await type(it, what, query);
      say(query, `${spread(keys)}, longest task ${longest.toFixed(0)} ms`);
      all.push(...keys);
    }
    say('all keys', spread(all));
    say('', await mainDelay(it.app));
  }
  const asked = await it.page.evaluate(async (queries) => {
    const times: number[] = [];
    for (const query of queries) {
      for (let round = 0; round < 10; round += 1) {
        const began = performance.now();
        await window.sayso.searchEvents({ query, limit: 50, before: null });
        times.push(performance.now() - began);
      }
    }
    return times;
  }, QUERIES);
  say('one search over the bridge', spread(asked));
});

test('jump', async ({ launch }) => {
  const it = await started(launch);
  const { page, ui } = it;
  await open(it, home.small[0] ?? '');
  const [away, within]: [number[], number[]] = [[], []];
  for (const phrase of phrasesOf(home.folder, home.longId, 20)) {
    await ui.sessions.getByRole('searchbox', { name: 'Search sessions' }).fill(phrase);
    const hit = page.getByRole('region', { name: 'Found in journals' }).getByRole('button').first();
    await expect(hit).toContainText(home.long);
    await page.evaluate(() => window.probe.jumping());
    await hit.click();
    const { ms } = await page.evaluate(() => window.probe.ended());
    (within.length + away.length) % 2 === 0 ? away.push(ms) : within.push(ms);
    if (away.length > within.length) continue;
    await ui.sessions.getByRole('searchbox', { name: 'Search sessions' }).fill('');
    await open(it, home.small[away.length % home.small.length] ?? '');
  }
  console.log('From the click on a hit until it is painted in the middle of the big session');
  say('from another session', spread(away));
  say('from another place of it', spread(within));
  say('', await mainDelay(it.app));
});

test('memory', async ({ launch }) => {
  const it = await started(launch);
  const { page, app } = it;
  await open(it, home.small[0] ?? '');
  await page.evaluate(() => window.probe.idle(120));
  const small = await memoryOf(app);
  console.log('Memory, after garbage collection');
  say('a small session is open', memoryWords(small));
  // A search starts a thread that then stays, whatever session is open: what is compared has it on both sides.
  await type(it, 'hits', wordOf(20));
  const searched = await memoryOf(app);
  say('and searched', memoryWords(searched, small));
  const box = page.getByRole('searchbox', { name: 'Search sessions' });
  await box.fill('');
  await box.blur();
  await open(it, home.long);
  say('the big one is open', memoryWords(await memoryOf(app), searched));
  const began = performance.now();
  const whole = await page.evaluate(() => window.probe.toTop('.feed', 1_000_000, 150_000));
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  say(
    'scrolled through it',
    `${whole.reached ? 'to its first entry' : 'not to the end'}, ${Math.round(whole.distance).toLocaleString('en')} px in ${seconds} s`,
  );
  say('scrolled through', memoryWords(await memoryOf(app), searched));
  await type(it, 'hits', wordOf(20));
  say('and searched', memoryWords(await memoryOf(app), searched));
  say('', await mainDelay(app));
});

const TEXT = Array.from({ length: 1_500 }, (_, index) => `${wordOf(index)}${index % 60 === 59 ? '.\n\n' : ''}`).join(
  ' ',
);

test('streams', async ({ launch, makeFolder }) => {
  const app = await launch({ home: home.folder, agents: scripted('talker', [says(TEXT)], { pace: '25ms' }) });
  const { page } = app;
  await putProbe(page);
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1_640, 900));
  const sessions = consoleOf(page).sessions;
  await expect(sessions.getByRole('link', { name: home.long })).toBeVisible({ timeout: 30_000 });
  const measure = async (name: string) => {
    const { work, value } = await workOf(page, () => page.evaluate(() => window.probe.idle(300)));
    say(name, frameWords(value, 1_000 / 60));
    say('', workWords(work, value.deltas.length));
  };
  console.log('While runs stream, each of them a word every 25 ms');
  await measure('none');
  for (const [index, columns] of [1, 3].entries()) {
    const workspace = await makeFolder();
    const count = index === 0 ? 1 : 7;
    for (let run = 0; run < count; run += 1) {
      const title = `Talk ${index}.${run}`;
      await app.start({ agent: 'talker', prompt: title, workspace });
      const modifiers = run > 0 && run < columns ? (['ControlOrMeta'] as const) : [];
      if (run < columns)
        await sessions.getByRole('link', { name: title, exact: true }).click({ modifiers: [...modifiers] });
    }
    await expect(page.getByRole('feed', { name: 'Timeline' })).toHaveCount(columns);
    await measure(index === 0 ? 'one, in one column' : 'eight, three of them in columns');
  }
});
