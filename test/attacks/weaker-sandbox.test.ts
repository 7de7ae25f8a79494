import { randomUUID } from 'node:crypto';
import type { SandboxTier } from '@shared/states';
import { afterEach, expect, it, vi } from 'vitest';
import type { Sandbox } from '../../src/main/sandbox/process';
import { createProcessTier } from '../../src/main/sandbox/process-tier';
import { waitForRequests } from '../support/run';
import { wholeJournal } from '../support/store';
import { openSupervised, type Supervised } from '../support/supervisor';

const STRONGEST: SandboxTier = {
  name: 'bubblewrap-seccomp',
  label: 'bubblewrap and seccomp',
  files: 'enforced',
  network: 'enforced',
  processes: 'enforced',
  privileges: 'enforced',
};
/** The weakest one, that says of itself that it is the strongest: what matters here is what is said. */
const strongest = async (): Promise<Sandbox> => ({ ...createProcessTier(randomUUID()), tier: STRONGEST });

let app: Supervised;
afterEach(() => app.close());

async function approve(remember: 'session' | null): Promise<void> {
  const [request] = await waitForRequests(app.store);
  if (request === undefined) throw new Error('nothing was asked');
  app.store.inbox.answer(request.id, request.digest, { type: 'approve', remember });
}

const SCRIPT = ['one', 'two'].flatMap((word) => [
  `  - calls:\n      - tool: run_command\n        input: { argv: [echo, ${word}] }\n`,
  '  - say: Done.\n',
]);

/** A session with a command that was remembered in the strongest sandbox; then the app is started anew in this one. */
async function resumedIn(sandbox: (() => Promise<Sandbox>) | undefined, change = (_: Supervised) => {}) {
  app = await openSupervised({ sandbox: strongest });
  const input = await app.agent({
    'a.agent.yaml': 'name: a\nprovider: scripted\nscript: a.script.yaml\nprompt: p\n',
    'a.script.yaml': `turns:\n${SCRIPT.join('')}`,
  });
  const id = await app.supervisor.start(input);
  await approve('session');
  await vi.waitFor(() => expect(app.supervisor.isBusy(id)).toBe(false));
  change(app);
  await app.supervisor.close();
  app.store.database.close();
  app = await openSupervised({ home: app.store.home, ...(sandbox && { sandbox }) });
  await app.supervisor.send(id, 'again', { agentChanged: 'ask', place: null });
  return id;
}

const notices = (id: Parameters<typeof wholeJournal>[1]) =>
  wholeJournal(app.store, id).flatMap(({ body }) => (body.type === 'notice' ? [body.text] : []));

it('what was remembered of a command in the strongest sandbox does not let it run in the weakest unasked, and says so', async () => {
  const id = await resumedIn(undefined);
  expect(await waitForRequests(app.store)).toMatchObject([{ sandbox: { name: 'process' } }]);
  expect(notices(id)).toContainEqual(
    expect.stringMatching(/Asked about again.*echo.*\(process only\).*\(bubblewrap and seccomp\)/),
  );
});

it('it lets the command run where that is as strong', async () => {
  const id = await resumedIn(strongest);
  await vi.waitFor(() => expect(app.store.reader.session(id)?.state).toBe('completed'));
  expect(notices(id)).toEqual([]);
});

it('one of an older Sayso, that does not say where it was given, lets nothing run where that could have been stronger', async () => {
  const id = await resumedIn(undefined, ({ store }) => {
    store.database.prepare("UPDATE grants SET match = json_remove(match, '$.sandbox')").run();
  });
  await waitForRequests(app.store);
  expect(notices(id)).toContainEqual(expect.stringMatching(/Asked about again.*not on record how/));
});
