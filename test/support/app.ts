import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  test as base,
  type ElectronApplication,
  _electron as electron,
  type Page,
  type TestInfo,
} from '@playwright/test';
import type { SessionId } from '../../src/shared/ids';
import type { ApprovalMode, RunState } from '../../src/shared/states';
import { ask } from './bridge';
import { expect } from './expect';
import { JournalView } from './journal-view';
import { MessagesServer } from './messages-server';
import { pidsWithEnvironment } from './processes';

/** The project's folder: what the executable is given as its argument. */
export const PROJECT = resolve(__dirname, '../..');

export interface LaunchOptions {
  /** A data folder that is there already; a fresh one by default. */
  readonly home?: string;
  /** Files for the folder that SAYSO_AGENTS names, by name. */
  readonly agents?: Readonly<Record<string, string>>;
  /** The app's folder, relative to the project: that of the project itself by default. */
  readonly appFolder?: string;
  /** Over the environment of the tests; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
}

/** The environment that points the app at a Messages API server. */
export function serverEnvironment(server: MessagesServer): Readonly<Record<string, string>> {
  return { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' };
}

interface Folders {
  readonly home: string;
  readonly agents: string;
}

interface StartOptions {
  readonly agent: string;
  /** Its first line is the session's title. */
  readonly prompt: string;
  readonly workspace: string;
  readonly mode?: ApprovalMode;
}

/** The real app, started on folders of its own. */
export class SaysoApp {
  readonly #output: string[] = [];
  /** Kept, because Playwright forgets it when the app has gone. */
  readonly process: ChildProcess;

  private constructor(
    readonly electron: ElectronApplication,
    private window: Page,
    private readonly setup: Folders & { readonly options: LaunchOptions },
  ) {
    this.process = electron.process();
    const { stdout, stderr } = this.process;
    for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => this.#output.push(String(chunk)));
    this.#listen(window);
  }

  static async launch(options: LaunchOptions, folders: Folders): Promise<SaysoApp> {
    for (const [name, text] of Object.entries(options.agents ?? {})) await writeFile(join(folders.agents, name), text);
    const { executable, args, env } = commandOf(folders, options);
    const app = await electron.launch({ executablePath: executable, args, env, timeout: 30_000 });
    try {
      const window = await app.firstWindow();
      await window.waitForLoadState('load');
      await painted(app, window);
      return new SaysoApp(app, window, { ...folders, options });
    } catch (error) {
      app.process().kill('SIGKILL');
      throw error;
    }
  }

  get page(): Page {
    return this.window;
  }

  get home(): string {
    return this.setup.home;
  }

  get agentsFolder(): string {
    return this.setup.agents;
  }

  /** The store's rows as they are now. */
  get journal(): JournalView {
    return new JournalView(this.home);
  }

  /** What it printed, for a failed test. */
  get output(): string {
    return this.#output.join('');
  }

  /** Starts a run as the window does, over the bridge; resolves once its start is on record. */
  async start({ agent, prompt, workspace, mode }: StartOptions): Promise<SessionId> {
    const agentId = await this.agentId(agent);
    const { sessionId } = await ask(this.page, 'startRun', { agentId, prompt, workspace, mode: mode ?? null });
    return sessionId;
  }

  async agentId(name: string): Promise<string> {
    const { agents } = await ask(this.page, 'listAgents', {});
    const agent = agents.find((candidate) => candidate.name === name);
    if (agent === undefined) throw new Error(`no agent ${name} among ${agents.map((one) => one.name).join(', ')}`);
    expect(agent.problems, `agent ${name} has no problems`).toEqual([]);
    return agent.id;
  }

  /** Waits until a session has come to a state. */
  async reached(sessionId: SessionId, state: RunState, timeout = 20_000): Promise<void> {
    const now = () => {
      const session = this.journal.session(sessionId);
      // A run says that it waits just before its request is on record.
      return session?.state === 'waiting' && session.open_requests === 0 ? 'about to wait' : session?.state;
    };
    await expect.poll(now, { timeout }).toBe(state);
  }

  /** Ends it as the operator would. */
  async quit(): Promise<void> {
    const gone = exited(this.process);
    await this.electron.evaluate(({ app }) => app.quit()).catch(ignoreClosed);
    await gone;
  }

  /**
   * SIGKILL for the app's main process, in the middle of whatever it does. Chromium's helpers end by themselves when
   * their browser process is gone; commands of runs do not, which is what the next start has to see to.
   */
  async kill9(): Promise<void> {
    const gone = exited(this.process);
    this.process.kill('SIGKILL');
    await gone;
  }

  /** Closes the window; the app itself goes on where a run is at work. */
  async closeWindow(): Promise<void> {
    const closed = this.page.waitForEvent('close');
    await this.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.close();
    });
    await closed;
    await expect.poll(() => this.windowCount()).toBe(0);
  }

  /** Opens the window again, as a click on the dock does. */
  async reopenWindow(): Promise<void> {
    const opened = this.electron.waitForEvent('window');
    await this.electron.evaluate(({ app }) => app.emit('activate'));
    await this.adopt(await opened);
  }

  /** Makes a window that has opened the one that the test looks at. */
  async adopt(window: Page): Promise<void> {
    await window.waitForLoadState('load');
    this.window = window;
    this.#listen(window);
  }

  /** Keeps what the page complains of, for a failed test. */
  #listen(window: Page): void {
    window.on('pageerror', (error) => this.#output.push(`window: ${error.stack ?? error.message}\n`));
    window.on('console', (message) => {
      if (message.type() === 'error') this.#output.push(`window: ${message.text()}\n`);
    });
  }

  async windowCount(): Promise<number> {
    return this.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
  }

  /** Kills the renderer the hard way. Playwright's page is dead after this; see `inWindow`. */
  async crashRenderer(): Promise<void> {
    await this.electron.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer();
    });
  }

  /**
   * Evaluates an expression in the window without Playwright's page, which does not outlive a crash; null while there is
   * no page, as code that is given to one that goes never returns.
   */
  async inWindow<T>(expression: string): Promise<T | null> {
    return this.electron.evaluate(({ BrowserWindow }, code) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      if (contents === undefined || contents.isCrashed() || contents.isLoading()) return null;
      const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), 1_000));
      return Promise.race([contents.executeJavaScript(code), late]);
    }, expression);
  }

  /** Starts the app a second time on the same data folder; resolves when that second process has ended. */
  async startAgain(): Promise<{ readonly exitCode: number | null; readonly output: string }> {
    const second = spawnApp(this.setup, this.setup.options);
    const [exitCode] = (await once(second.process, 'close')) as [number | null];
    return { exitCode, output: second.output() };
  }

  /** For the end of a test: whatever state it is in, nothing of it is left. */
  async dispose(): Promise<void> {
    const { process: main } = this;
    if (main.exitCode === null && main.signalCode === null) {
      const gone = exited(main);
      main.kill('SIGKILL');
      await gone;
    }
    for (const mark of [appMark(this.home), callMark(this.home)]) await endProcesses(mark);
  }
}

/**
 * Waits until the window is shown and draws: before that, nothing in it can be clicked. A window that Chromium has left
 * empty is shown once more, as by a click on the dock. The app is never started anew for it: what a test looks at may be
 * what this very start has found and mended.
 */
async function painted(app: ElectronApplication, window: Page): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const draws = window.evaluate<true>(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))',
    );
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 6_000).unref());
    if (await Promise.race([draws, late])) return;
    console.warn('The window of an app draws nothing: it is shown once more.');
    await app.evaluate(({ BrowserWindow }) => {
      for (const each of BrowserWindow.getAllWindows()) {
        each.hide();
        each.show();
      }
    });
  }
  throw new Error('The window draws nothing, however often it is shown.');
}

/** Kills what has this in its environment. */
export async function endProcesses(mark: string): Promise<void> {
  for (const pid of await pidsWithEnvironment(mark)) kill(pid);
}

/** What stands in the environment of the app's own processes, and in that of no command of a run. */
export function appMark(home: string): string {
  return `SAYSO_HOME=${home}`;
}

/** What stands in the environment of every process of a run's commands. */
export function callMark(home: string): string {
  return `SAYSO_CALL=${createHash('sha256').update(home).digest('hex').slice(0, 16)}.`;
}

/** Starts the app without looking at its window, if it has one: for what it prints and how it ends. */
export function spawnApp(folders: Folders, options: LaunchOptions = {}) {
  const { executable, args, env } = commandOf(folders, options);
  const started = spawn(executable, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: string[] = [];
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)));
  return { process: started, output: () => chunks.join('') };
}

function commandOf(folders: Folders, { appFolder = '.', env = {}, args = [] }: LaunchOptions) {
  const executable = process.env.SAYSO_ELECTRON;
  if (executable === undefined) throw new Error('SAYSO_ELECTRON is not set: run the tests with npm run e2e -- FILE');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(ANTHROPIC_|SAYSO_|ELECTRON_RUN_AS_NODE$)/.test(name),
  );
  const wanted = { ...Object.fromEntries(inherited), SAYSO_HOME: folders.home, SAYSO_AGENTS: folders.agents, ...env };
  const given = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // Chromium's sandbox does not start as root; everywhere else the tests run with it.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return { executable, args: [...root, ...args, join(PROJECT, appFolder)], env: Object.fromEntries(given) };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

async function exited(main: ChildProcess): Promise<void> {
  if (main.exitCode === null && main.signalCode === null) await once(main, 'exit');
}

/** The connection breaks when the app goes; anything else is a failure. */
function ignoreClosed(error: unknown): void {
  if (!/closed|destroyed|Target|disconnected/i.test(String(error))) throw error;
}

interface Fixtures {
  /** Starts the app. On the same `home` it is a restart. */
  readonly launch: (options?: LaunchOptions) => Promise<SaysoApp>;
  /** Makes an empty folder for a run to work in. */
  readonly makeFolder: (files?: Readonly<Record<string, string>>) => Promise<string>;
  /** A Messages API server of the test's own. No test sends it anything malformed. */
  readonly server: MessagesServer;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted out of this pattern
  makeFolder: async ({}, use) => {
    const folders: string[] = [];
    await use(async (files = {}) => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-e2e-')));
      folders.push(folder);
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
      return folder;
    });
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  },

  // biome-ignore lint/correctness/noEmptyPattern: as above
  server: async ({}, use) => {
    const server = await MessagesServer.start();
    await use(server);
    await server.close();
    expect(server.complaints, 'complaints of the Messages API').toEqual([]);
  },

  launch: async ({ makeFolder }, use, testInfo) => {
    const apps: SaysoApp[] = [];
    const agentsOf = new Map<string, string>();
    await use(async (options = {}) => {
      const home = options.home ?? (await makeFolder());
      const agents = agentsOf.get(home) ?? (await makeFolder());
      agentsOf.set(home, agents);
      const app = await SaysoApp.launch(options, { home, agents });
      apps.push(app);
      return app;
    });
    for (const [index, app] of apps.entries()) {
      if (testInfo.status !== testInfo.expectedStatus) await attach(app, index, testInfo);
      await app.dispose();
    }
  },
});

async function attach(app: SaysoApp, index: number, testInfo: TestInfo): Promise<void> {
  await testInfo.attach(`app ${index + 1} output`, { body: app.output, contentType: 'text/plain' });
  const picture = await app.page.screenshot({ timeout: 5_000 }).catch(() => null);
  if (picture !== null) await testInfo.attach(`app ${index + 1} window`, { body: picture, contentType: 'image/png' });
}

export { expect } from './expect';
