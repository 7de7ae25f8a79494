import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Push } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import { app } from 'electron';
import { createDemoRepository } from '../agents/demo-repository';
import { AgentLibrary } from '../agents/library';
import { AgentWatcher } from '../agents/watch';
import { Audit } from '../approvals/audit';
import { Grants } from '../approvals/grants';
import { Inbox } from '../approvals/inbox';
import { ForeignRuns } from '../runs/foreign-runs';
import { Holders } from '../runs/holders';
import { LiveOriginals } from '../runs/live-originals';
import { Preparer } from '../runs/prepare-agent';
import { isAlive, ownIdentity, type ProcessIdentity } from '../runs/process-identity';
import { recoverInterrupted, workspacesLeft } from '../runs/recovery';
import { Supervisor } from '../runs/supervisor';
import { removeLeft, takeAwayIdle } from '../sandbox/bwrap/placeholders';
import { chooseSandbox } from '../sandbox/choose-sandbox';
import { folderId, instanceId, reapLeftovers } from '../sandbox/reap';
import { startWatchdog } from '../sandbox/watchdog';
import { openDatabase } from '../sessions/database';
import { Journal } from '../sessions/journal';
import { SessionReader } from '../sessions/reader';
import { type Rescued, rescueStore } from '../sessions/rescue';
import { StoreFile } from '../sessions/store-file';
import { troubleOf } from '../sessions/store-words';
import { isSuspect, markIfDamaged } from '../sessions/suspect';
import { StoreWorker } from '../sessions/worker/store-worker';
import { Appearance } from './appearance';
import { Attention } from './attention';
import type { BridgeHandlers } from './bridge';
import { StoreCare } from './care';
import { systemDialogs } from './dialogs';
import { bridgeHandlers } from './handlers';
import { PathList } from './path-list';
import { Pushes } from './pushes';
import { ApiKey } from './secrets';
import { SettingsFile } from './settings-file';
import { startNotices } from './start-notices';
import type { MainWindow } from './window';

export interface ConsoleParts {
  readonly home: string;
  /** The app's own folder, with what ships with it. */
  readonly root: string;
  readonly icon: string;
  readonly window: MainWindow;
  readonly show: (sessionId: SessionId | null) => void;
  /** What the operator should know of how it came to be opened. */
  readonly notices: readonly string[];
  /** The store's file has gone while it was open. `close` saves it. */
  readonly onStoreGone: () => void;
}

export interface Wired {
  readonly handlers: BridgeHandlers;
  /**
   * Interrupts every run, waits for their ends on record, and closes the store; says where it was saved, if its file had
   * gone.
   */
  readonly close: (() => Promise<Rescued | null>) | null;
  readonly isBusy: () => boolean;
}

/** How long the end of the app waits for what it takes out of workspaces, in milliseconds. */
const TIDY_MS = 2_000;

const DEMO_PROMPT = 'Bring CHANGELOG.md in step with the history of this repository.';

/** Takes what commands that were killed with the app have left out of their workspaces. Nothing waits for it. */
function tidy(workspaces: readonly string[]): void {
  // Where it cannot be done, the next command there does it.
  for (const workspace of workspaces) void removeLeft(workspace).catch(() => undefined);
}

/**
 * Puts the parts together over a data folder: the store first, then what a crash left is ended on record and in the
 * system, and only then can anything run.
 * @throws StoreError when the store cannot be opened: then nothing was started
 */
export async function wireConsole(parts: ConsoleParts): Promise<Wired> {
  const { home, root, icon, window, show } = parts;
  const { database, file, notices, unclean } = await openDatabase(home);
  const send = (push: Push) => window.send('sayso:push', push);
  const onStoreError = (error: unknown) => {
    console.error('The store could not be written:', error);
    markIfDamaged(file, error);
    const trouble = troubleOf(error);
    if (trouble !== null) send({ type: 'trouble', ...trouble });
  };

  const journal = new Journal(database);
  const reader = new SessionReader(database);
  // Built beside this file, as an entry of its own.
  const worker = new StoreWorker(join(__dirname, 'store-worker.js'), file);
  const grants = new Grants(database, journal);
  const audit = new Audit(database);
  const inbox = new Inbox(database, journal, grants, audit, onStoreError);
  const self = await ownIdentity();
  let leftovers = 0;
  const endCommandsOf = async (other: ProcessIdentity) => {
    leftovers += await reapLeftovers(instanceId(home, other));
  };
  const holders = new Holders(database, self, isAlive, endCommandsOf);
  const held = await holders.heldByOthers();
  const living = [...held.values()].map((other) => instanceId(home, other));
  leftovers += await reapLeftovers(folderId(home), living);
  const isMine = (sessionId: SessionId) => !holders.isHeldByOther(sessionId);
  tidy(workspacesLeft(reader, isMine));
  const interrupted = recoverInterrupted(reader, journal, inbox, isMine, undefined, onStoreError);
  grants.endAgentGrants();

  startWatchdog(instanceId(home, self));

  const settings = new SettingsFile(join(home, 'settings.json'));
  const settingsNotice = await settings.load();
  const apiKey = new ApiKey(join(home, 'anthropic.key'), environmentValue('ANTHROPIC_API_KEY'));
  await apiKey.load();
  const appearance = new Appearance(send);
  appearance.apply(settings.current.theme);

  const agentsFolder = join(home, 'agents');
  const extraFolder = environmentValue('SAYSO_AGENTS');
  const opened = new PathList(join(home, 'opened-agents.json'));
  const library = new AgentLibrary({
    shippedFolder: join(root, 'agents'),
    folders: [{ path: agentsFolder, mayBeMissing: true }, ...(extraFolder === undefined ? [] : [extraFolder])],
    files: await opened.load(),
  });
  // No answer opens to a command what decides how commands run.
  const own = () => [root, ...(extraFolder === undefined ? [] : [extraFolder]), ...library.files];
  const sandbox = await chooseSandbox({ instanceId: instanceId(home, self), dataFolder: home, own });
  const preparer = new Preparer({
    library,
    sandbox,
    environment: process.env,
    dataFolder: home,
    connection: () => ({
      apiKey: apiKey.value,
      baseUrl: environmentValue('ANTHROPIC_BASE_URL') ?? null,
      defaultModel: settings.current.model,
    }),
  });
  const originals = new LiveOriginals();
  const supervisor = new Supervisor({
    journal,
    reader,
    inbox,
    grants,
    preparer,
    originals,
    holders,
    // The console is the operator's place, with its window open or not: a request waits its time for them.
    hasOperator: () => true,
    onStoreError,
  });

  const foreignRuns = new ForeignRuns({
    holders,
    settle: (sessionId) => {
      if (supervisor.isBusy(sessionId)) return;
      const isIt = (id: SessionId) => id === sessionId;
      tidy(workspacesLeft(reader, isIt));
      recoverInterrupted(reader, journal, inbox, isIt, 'the Sayso that ran it ended unexpectedly');
      journal.announce(sessionId);
    },
    onError: onStoreError,
  });
  foreignRuns.watch(held.keys());

  const watcher = new AgentWatcher(async () => {
    watcher.watch(await library.watched());
    send({ type: 'agents' });
  });
  watcher.watch(await library.watched());

  const pushes = new Pushes({ inbox, grants, send });
  pushes.follow(journal);
  journal.onAppend(({ events }) => {
    if (events.some(({ body }) => body.type === 'run_ended')) void takeAwayIdle();
  });
  const attention = new Attention({ inbox, window, icon, show });

  const care = new StoreCare({
    home,
    file,
    worker,
    unclean,
    retentionDays: () => settings.current.retentionDays,
    isBusy: (sessionId) => supervisor.isBusy(sessionId),
    send,
    announce: (sessionId) => journal.announce(sessionId),
  });
  const startedWith = [
    ...parts.notices,
    ...notices,
    ...startNotices(interrupted, leftovers, held),
    ...(await library.notices()),
    ...(settingsNotice === null ? [] : [settingsNotice]),
  ];
  const handlers = bridgeHandlers({
    appInfo: () => ({
      version: app.getVersion(),
      platform: process.platform,
      home,
      agentsFolder,
      sandbox: sandbox.tier,
      rendererSandboxed: !app.commandLine.hasSwitch('no-sandbox'),
      notices: [...startedWith, ...care.notices],
    }),
    journal,
    reader,
    worker,
    holders,
    send,
    secrets: () => preparer.secrets(),
    afterDeletion: care.afterDeletion,
    isSuspect: () => isSuspect(file),
    inbox,
    grants,
    audit,
    originals,
    supervisor,
    library,
    preparer,
    openAgent: async (path) => {
      const agent = await library.open(path);
      await opened.save(library.files);
      watcher.watch(await library.watched());
      return agent;
    },
    settings,
    apiKey,
    pushes,
    dialogs: systemDialogs,
    appearance,
    startDemo: async () =>
      supervisor.start({
        agentId: await library.shippedId('demo'),
        prompt: DEMO_PROMPT,
        workspace: await createDemoRepository(),
        mode: null,
      }),
  });
  const storeFile = await StoreFile.of(file);
  storeFile.watch(parts.onStoreGone);
  const close = async () => {
    storeFile.end();
    care.end();
    foreignRuns.close();
    watcher.close();
    await Promise.all([supervisor.close(), preparer.close()]);
    // Where nobody answers, the next start takes away what is left.
    await Promise.race([takeAwayIdle(), delay(TIDY_MS, undefined, { ref: false })]);
    await worker.close();
    attention.end();
    appearance.end();
    if (!(await storeFile.isThere())) return rescueStore(database, storeFile, Date.now());
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    return null;
  };
  return { handlers, close, isBusy: () => supervisor.activeRuns > 0 };
}

function environmentValue(name: string): string | undefined {
  const value = process.env[name];
  return value === undefined || value === '' ? undefined : value;
}
