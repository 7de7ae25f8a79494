import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentLibrary } from '../../src/main/agents/library';
import { Holders } from '../../src/main/runs/holders';
import { LiveOriginals } from '../../src/main/runs/live-originals';
import { Preparer } from '../../src/main/runs/prepare-agent';
import { isAlive, ownIdentity } from '../../src/main/runs/process-identity';
import { Supervisor } from '../../src/main/runs/supervisor';
import { createProcessTier } from '../../src/main/sandbox/process-tier';
import { says, scripted } from '../support/agents';
import { openStore, type Store } from '../support/store';

const SECRET = `ghp_${'aB3dE6gH9k'.repeat(4).slice(0, 36)}`;

let store: Store;
let folder: string;
let workspace: string;
let supervisor: Supervisor;
beforeEach(async () => {
  store = await openStore();
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-attack-agents-')));
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'sayso-attack-ws-')));
  const preparer = new Preparer({
    library: new AgentLibrary({ shippedFolder: null, folders: [folder] }),
    sandbox: createProcessTier(randomUUID()),
    environment: { PATH: process.env.PATH, HOME: process.env.HOME },
    dataFolder: store.home,
    connection: () => ({ apiKey: null, baseUrl: null, defaultModel: 'none' }),
  });
  supervisor = new Supervisor({
    ...store,
    preparer,
    originals: new LiveOriginals(),
    holders: new Holders(store.database, await ownIdentity(), isAlive),
    hasOperator: () => true,
    onStoreError: (error) => store.storeErrors.push(error),
  });
});
afterEach(async () => {
  await supervisor.close();
  await store.close();
  for (const path of [folder, workspace]) await rm(path, { recursive: true, force: true });
});

it('a server’s last words before the run began stand in the journal without the secret in them', async () => {
  const program = `console.error('refused: ${SECRET}'); process.exit(1)`;
  const mcp = [{ name: 'dies', command: [process.execPath, '-e', program] }];
  for (const [name, text] of Object.entries(scripted('a', [says('Done.')], { mcp }))) {
    await writeFile(join(folder, name), text);
  }
  const agentId = join(folder, 'a.agent.yaml');
  const id = await supervisor.start({ agentId, prompt: 'Go', workspace, mode: null });
  const journal = () => JSON.stringify(store.reader.events({ sessionId: id, from: { at: 'end' }, limit: 1_000 }));
  expect(journal()).toContain('refused: ');
  expect(journal()).not.toContain(SECRET);
  await supervisor.close();
  await supervisor.close();
});
