import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import type { SandboxTier } from '../../src/shared/states';
import { calls, runs, says, scripted } from '../support/agents';
import { expect, PROJECT, test } from '../support/app';
import { ask } from '../support/bridge';
import { type Console, consoleOf, openCard } from '../support/console';

const SERVER = join(PROJECT, 'test/support/mcp-server.mjs');
const MODULES = join(PROJECT, 'node_modules');
const SIGNS = { enforced: '✓', 'not-enforced': '✕', unknown: '?' } as const;
const WORDS = { enforced: 'enforced', 'not-enforced': 'not enforced', unknown: 'not known' } as const;

/** What the chips of a tier say, one for each protection. */
const chipsOf = (tier: SandboxTier): string[] =>
  (['files', 'network', 'processes', 'privileges'] as const).map(
    (name) => `${SIGNS[tier[name]]} ${name} ${WORDS[tier[name]]}`,
  );
const FILE_RULES = ['✓ files enforced', '– network, processes, privileges not used'];
const WEB_RULES = ['✓ network enforced', '– files, processes, privileges not used'];

/** Many short calls; the same one again and again would end the run. */
const LOOKS = Array.from({ length: 40 }, (_, index) =>
  index % 2 === 0 ? calls('computer_info', {}) : calls('list_dir', { path: '.' }),
);

/** The row that says what keeps a call, on a card or in the timeline. */
async function expectKept(place: Locator, who: string, chips: readonly string[]): Promise<void> {
  const row = place.locator('.kept');
  await expect(row.locator('.who')).toHaveText(who);
  await expect(row.locator('.hold')).toHaveText([...chips]);
}

async function opened(ui: Console, tool: string): Promise<Locator> {
  const call = ui.timeline.getByRole('article', { name: `Call: ${tool}` });
  const row = call.getByRole('button', { name: new RegExp(tool) }).first();
  if ((await row.getAttribute('aria-expanded')) === 'false') await row.click();
  return call;
}

test('every request and every call that ran says per protection what holds for it, and who keeps it', async ({
  launch,
  makeFolder,
}) => {
  const server = createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const turns = [
      runs('true'),
      calls('write_file', { path: 'made.txt', content: 'x\n' }),
      calls('http_request', { url: `http://${host}/` }),
      calls('plain_touch', { path: 'a' }),
      calls('list_dir', { path: '.' }),
      says('Over.'),
    ];
    const agents = scripted('mixed', turns, {
      http: true,
      private_hosts: [host],
      mcp: [{ name: 'plain', command: ['node', SERVER, 'plain'] }],
      sandbox: { read: [MODULES, SERVER] },
    });
    const app = await launch({ agents });
    const ui = consoleOf(app.page);
    const { sandbox } = await ask(app.page, 'getAppInfo', {});
    const sessionId = await app.start({ agent: 'mixed', prompt: 'Mix it', workspace: await makeFolder() });
    await ui.open('Mix it');
    const expected = [
      ['run_command', 'the sandbox', chipsOf(sandbox)],
      ['write_file', 'Sayso’s file rules', FILE_RULES],
      ['http_request', 'Sayso’s network rules', WEB_RULES],
      ['plain_touch', 'the sandbox of its server', chipsOf(sandbox)],
    ] as const;
    for (const [tool, who, chips] of expected) {
      const { card, approve } = await openCard(ui.inbox.getByRole('article', { name: `Approval: ${tool}` }));
      await expectKept(card, who, chips);
      await approve.click();
    }
    await app.reached(sessionId, 'completed');
    for (const [tool, who, chips] of [...expected, ['list_dir', 'Sayso’s file rules', FILE_RULES] as const]) {
      await expectKept(await opened(ui, tool), who, chips);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a session says what holds for its own runs: its agent file opens the network, and the start of its run lies far back', async ({
  launch,
  makeFolder,
}) => {
  const turns = [...LOOKS, runs('true'), says('Over.')];
  const agents = scripted('open', turns, {
    guardrails: { approvalMode: 'auto' },
    sandbox: { network: true, accept: ['unshare', 'process'] },
  });
  const app = await launch({ agents });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'open', prompt: 'Run openly', workspace: await makeFolder() });
  await app.reached(sessionId, 'completed');
  const tier = app.journal.bodies(sessionId, 'run_started')[0]?.sandbox;
  expect(tier?.network).toBe('not-enforced');
  if (tier === undefined) return;

  // Only the end of the journal is loaded: what is older is asked for.
  await app.page.reload();
  await ui.open('Run openly');
  await expectKept(await opened(ui, 'run_command'), 'the sandbox', chipsOf(tier));
  const chip = ui.main.getByRole('button', { name: `sandbox: ${tier.label}` });
  await expect(chip).toHaveAccessibleDescription(/✕ network: open/);

  await app.page.getByRole('button', { name: 'Settings', exact: true }).click();
  const { sandbox } = await ask(app.page, 'getAppInfo', {});
  const { sign, words } = { sign: SIGNS[sandbox.network], words: WORDS[sandbox.network] };
  await expect(app.page.locator('.protections li').nth(1)).toContainText(`${sign} ${words}`);
});
