import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentLibrary } from '../../src/main/agents/library';
import { Holders } from '../../src/main/runs/holders';
import { LiveOriginals } from '../../src/main/runs/live-originals';
import { Preparer } from '../../src/main/runs/prepare-agent';
import { isAlive, ownIdentity, type ProcessIdentity } from '../../src/main/runs/process-identity';
import { Supervisor } from '../../src/main/runs/supervisor';
import type { Sandbox } from '../../src/main/sandbox/process';
import { createProcessTier } from '../../src/main/sandbox/process-tier';
import { openStore } from './store';

interface SupervisedOptions {
  /** A data folder that is there already; a fresh one by default. */
  readonly home?: string;
  /** The process that it is to be; this one by default. */
  readonly self?: ProcessIdentity;
  /** The weakest by default. */
  readonly sandbox?: (home: string) => Promise<Sandbox>;
  /** Told of every other process that is found to have ended. */
  readonly endCommandsOf?: ConstructorParameters<typeof Holders>[3];
}

/** The app as it is wired, without its window, over a data folder with its store and its agents. */
export async function openSupervised({ home, self, sandbox, endCommandsOf }: SupervisedOptions = {}) {
  const store = await openStore(home);
  const folder = join(await realpath(store.home), 'agents');
  await mkdir(folder, { recursive: true });
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'sayso-ws-')));
  const preparer = new Preparer({
    library: new AgentLibrary({ shippedFolder: null, folders: [folder] }),
    sandbox: (await sandbox?.(store.home)) ?? createProcessTier(randomUUID()),
    environment: { PATH: process.env.PATH, HOME: process.env.HOME },
    dataFolder: store.home,
    connection: () => ({ apiKey: null, baseUrl: null, defaultModel: 'none' }),
  });
  const holders = new Holders(store.database, self ?? (await ownIdentity()), isAlive, endCommandsOf);
  const supervisor = new Supervisor({
    ...store,
    preparer,
    originals: new LiveOriginals(),
    holders,
    hasOperator: () => true,
    onStoreError: (error) => store.storeErrors.push(error),
  });
  return {
    store,
    supervisor,
    holders,
    workspace,
    /** Writes an agent's files, and gives what a run of the agent is started with. */
    async agent(files: Readonly<Record<string, string>>) {
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      const name = Object.keys(files).find((candidate) => candidate.endsWith('.agent.yaml')) ?? '';
      return { agentId: join(folder, name), prompt: 'Go', workspace, mode: null };
    },
    async close() {
      await supervisor.close();
      await store.close();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}
export type Supervised = Awaited<ReturnType<typeof openSupervised>>;
