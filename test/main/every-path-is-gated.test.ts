import { randomUUID } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { EventOf } from '@shared/events';
import { RunId } from '@shared/ids';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createProcessTier } from '../../src/main/sandbox/process-tier';
import { RunServers } from '../../src/main/tools/mcp/servers';
import { computerTools, httpTools, humanTools } from '../../src/main/tools/registry';
import { fileServer, trusted } from '../support/mcp';
import { startRun, waitForRequests } from '../support/run';
import { openStore, type Store, startSession } from '../support/store';

/**
 * Every tool that there is, with a call that would work. A new tool fails the first test until it stands here, and with
 * it come the tests that its effects are gated.
 */
const SAMPLES: Readonly<Record<string, { readonly changes: boolean; readonly input: object }>> = {
  list_dir: { changes: false, input: { path: '.' } },
  read_file: { changes: false, input: { path: 'a.txt' } },
  search_files: { changes: false, input: { pattern: 'one' } },
  computer_info: { changes: false, input: {} },
  fetch_url: { changes: false, input: { url: 'http://localhost:SITE/' } },
  write_file: { changes: true, input: { path: 'new.txt', content: 'x' } },
  edit_file: { changes: true, input: { path: 'a.txt', oldString: 'one', newString: 'two' } },
  move: { changes: true, input: { from: 'a.txt', to: 'b.txt' } },
  delete: { changes: true, input: { path: 'a.txt' } },
  run_command: { changes: true, input: { argv: ['touch', 'made'] } },
  shell: { changes: true, input: { command: 'touch made' } },
  http_request: { changes: true, input: { url: 'http://localhost:SITE/', method: 'POST', body: 'x' } },
};

/** The only files that may import what changes the world, and why each may. */
const MAY_CHANGE: Readonly<Record<string, string>> = {
  'agents/demo-repository.ts': 'makes the demo’s own folder, on the operator’s click',
  'desktop/data-folder.ts':
    'the app’s own folder, or one in the system’s temporary folder where that cannot be written',
  'desktop/path-list.ts': 'the app’s own list of opened files',
  'desktop/screenshot.ts': 'where SAYSO_SCREENSHOT says',
  'desktop/secrets.ts': 'the app’s own key',
  'desktop/settings-file.ts': 'the app’s own settings',
  'runs/prepare-agent.ts': 'an empty folder in the system’s temporary one, for servers that are asked what they offer',
  'runs/process-identity.ts': 'runs ps, on macOS, to tell who holds a session',
  'sandbox/bwrap/host.ts': 'asks bwrap for its version',
  'sandbox/bwrap/move-aside.ts': 'gives what a command put in a protected place another name',
  'sandbox/bwrap/make-places.ts':
    'holds the places of missing protected paths around a command that was allowed to start',
  'sandbox/bwrap/remove-places.ts': 'takes away again what held them',
  'sandbox/bwrap/sentinel.ts': 'puts a link back that a command took from a protected place',
  'sandbox/task-group.ts': 'a control group around a command that was allowed to start',
  'sandbox/child.ts': 'starts what a tool was allowed to start, and the shell that becomes it',
  'sandbox/output-pipe.ts': 'a pipe in the system’s temporary folder',
  'sandbox/probe.ts': 'targets of its own in the app’s folder, at the start',
  'sandbox/ps-table.ts': 'runs ps, on macOS',
  'sandbox/watchdog.ts': 'ends what is left of commands when the app is gone',
  'sandbox/windows-tree.ts': 'runs taskkill, on Windows',
  'sessions/backups.ts': 'old backups of the store, and a damaged store set aside',
  'sessions/database.ts': 'the store',
  'sessions/make-backup.ts': 'a backup of the store, on the operator’s word',
  'sessions/rescue.ts': 'writes the store anew where its file was removed while it was open',
  'sessions/stale-backup.ts': 'the mark beside a store whose backup may hold what was deleted',
  'sessions/suspect.ts': 'the mark beside a store in which damage was found',
  'sessions/transfer/write-file.ts': 'an export, where the operator’s own dialog says',
  'tools/command/introspect.ts':
    'an empty folder in the system’s temporary one, for an application that describes itself',
  'tools/computer/held-folder.ts': 'a folder that the tools below hold, and nothing by itself',
};

/** The only files that may change something in a folder that is held, and why each may. */
const MAY_CHANGE_IN_FOLDER: Readonly<Record<string, string>> = {
  'tools/computer/delete-folder.ts': 'the delete tool',
  'tools/computer/delete.ts': 'the delete tool',
  'tools/computer/hold-folder.ts': 'missing folders on the way to a file that write_file makes',
  'tools/computer/move.ts': 'the move tool',
  'tools/computer/replace-file.ts': 'the atomic write of write_file and edit_file',
  'tools/computer/temporary-files.ts': 'what a crash left of such a write',
};

/** The only files that may reach the network, and why each may. */
const MAY_CONNECT: Readonly<Record<string, string>> = {
  'models/anthropic-transport.ts': 'the model’s provider',
  'network/look-up.ts': 'looks a name up for fetch_url, http_request and the proxy below',
  'sandbox/bwrap/make-places.ts': 'makes sockets that nobody listens at, in the places of missing protected paths',
  'sandbox/output-pipe.ts': 'a pipe, no network',
  'sandbox/probe.ts': 'listens on this machine, to see whether a sandboxed process gets there',
  'sandbox/proxy/connect.ts': 'connects a command to a host of the agent file’s list',
  'sandbox/proxy/filter-proxy.ts': 'takes what a command with such a list asks for',
  'sandbox/proxy/forward.ts': 'hands on its plain HTTP',
  'sandbox/proxy/listener.ts': 'takes over the socket that listens in its sandbox',
  'tools/mcp/bounded-fetch.ts': 'the MCP server that the agent file names',
  'tools/web/send.ts': 'fetch_url and http_request',
};

const CHANGES =
  /\b(writeFile|appendFile|rename|rm|rmdir|unlink|mkdir|mkdirSync|mkdtemp|mkdtempSync|copyFile|cp|symlink|link|chmod|chown|truncate|writeFileSync|rmSync|renameSync|unlinkSync|createWriteStream)\b/;

/** The methods of HeldFolder that change something; `open` with a flag that does. */
const CHANGES_IN_FOLDER = /\.(?:makeFolder|removeFile|removeFolder|rename|link|changeOwner)\(|O_(?:WRONLY|RDWR|CREAT)/;

const SOURCE = join(import.meta.dirname, '../../src/main');

async function sources(): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(SOURCE, { recursive: true })).filter((name) => name.endsWith('.ts'));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(SOURCE, name), 'utf8') })));
}

/** Everything in a folder, with contents: equal before and after means that nothing changed. */
async function snapshot(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return `${relative(folder, file)}: ${(await lstat(file)).isFile() ? await readFile(file, 'utf8') : 'folder'}`;
    }),
  );
}

let store: Store;
let workspace: string;
/** A site of the operator's own: what is posted to it changes the workspace. */
let site: Server;
let privateHosts: { host: string; port: number }[];
const everyTool = () => [...computerTools(privateHosts), ...httpTools(privateHosts)];

beforeAll(async () => {
  site = createServer((request, response) => {
    const done = request.method === 'GET' ? Promise.resolve() : writeFile(join(workspace, 'posted'), '');
    void done.then(() => response.end('hello'));
  });
  await new Promise<void>((resolve) => site.listen(0, 'localhost', resolve));
  const address = site.address();
  privateHosts = [{ host: 'localhost', port: typeof address === 'object' ? (address?.port ?? 0) : 0 }];
});
afterAll(() => new Promise((resolve) => site.close(resolve)));
beforeEach(async () => {
  store = await openStore();
  workspace = await mkdtemp(join(tmpdir(), 'sayso-gated-'));
  await mkdir(join(workspace, 'folder'));
  await writeFile(join(workspace, 'a.txt'), 'one\n');
});
afterEach(async () => {
  await store.close();
  await rm(workspace, { recursive: true, force: true });
});

const turns = (name: string) => {
  const inputText = JSON.stringify(SAMPLES[name]?.input ?? {}).replace('SITE', String(privateHosts[0]?.port));
  return [{ calls: [{ tool: name, inputText }] }, { say: 'Done.' }];
};
const start = (name: string, mode: 'auto' | 'ask' | 'readonly') =>
  startRun(store, turns(name), everyTool(), {
    settings: { mode },
    ref: { ...startSession(store.journal), runId: RunId.parse(randomUUID()) },
    context: {
      workspace,
      sandbox: createProcessTier(randomUUID()),
      environment: { PATH: process.env.PATH ?? '' },
    },
  });

const changing = Object.keys(SAMPLES).filter((name) => SAMPLES[name]?.changes);
const looking = Object.keys(SAMPLES).filter((name) => !SAMPLES[name]?.changes);

describe('every path that can change something', () => {
  it('stands in the table above, with the danger that it really has', () => {
    const tools = Object.fromEntries(everyTool().map(({ name, dangerous }) => [name, dangerous]));
    expect(tools).toEqual(Object.fromEntries(Object.entries(SAMPLES).map(([name, { changes }]) => [name, changes])));
    expect(humanTools().every(({ kind }) => kind === 'question')).toBe(true);
  });

  it.each(changing)('%s changes nothing while nobody has approved it, and works once somebody has', async (name) => {
    const before = await snapshot(workspace);
    const { run, events } = start(name, 'ask');
    const [request] = await waitForRequests(store);
    if (request === undefined) throw new Error('it was not asked about');
    expect(request.tool).toBe(name);
    expect(await snapshot(workspace)).toEqual(before);
    store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null });
    expect(await run.ended).toBe('completed');
    const result = events().find((body): body is EventOf<'call_result'> => body.type === 'call_result');
    expect(result).toMatchObject({ isError: false });
    expect(await snapshot(workspace)).not.toEqual(before);
  });

  it.each(changing)('%s changes nothing in readonly mode, and nobody is asked', async (name) => {
    const before = await snapshot(workspace);
    const { run, events } = start(name, 'readonly');
    expect(await run.ended).toBe('completed');
    expect(events().filter(({ type }) => type === 'tool_denied')).toHaveLength(1);
    expect(store.inbox.open()).toEqual([]);
    expect(await snapshot(workspace)).toEqual(before);
  });

  it.each(looking)('%s runs without asking in readonly mode, and changes nothing', async (name) => {
    const before = await snapshot(workspace);
    const { run, events } = start(name, 'readonly');
    expect(await run.ended).toBe('completed');
    expect(events().find(({ type }) => type === 'call_result')).toMatchObject({ isError: false });
    expect(await snapshot(workspace)).toEqual(before);
  });

  it.each(['auto', 'ask', 'readonly'] as const)(
    'a tool of an MCP server is gated like any other (%s)',
    async (mode) => {
      const sandbox = createProcessTier(randomUUID());
      const environment = { PATH: process.env.PATH ?? '' };
      const definitions = [fileServer(), { ...trusted('liar'), trustReadOnly: false }];
      const servers = await RunServers.start(definitions, { workspace, sandbox, environment });
      const tools = servers.tools.map(({ tool }) => tool);
      const before = await snapshot(workspace);
      const { run, events } = startRun(
        store,
        [
          { calls: [{ tool: 'files_write_file', input: { path: 'mcp.txt', content: 'x' } }] },
          // It writes, and says that it only reads.
          { calls: [{ tool: 'liar_look', input: { path: 'lie.txt' } }] },
          { say: 'Done.' },
        ],
        tools,
        { settings: { mode }, context: { workspace, sandbox, environment } },
      );
      if (mode === 'ask') {
        for (const tool of ['files_write_file', 'liar_look']) {
          const [request] = await waitForRequests(store);
          if (request === undefined) throw new Error('it was not asked about');
          expect(request.tool).toBe(tool);
          expect(await snapshot(workspace)).toEqual(before);
          store.inbox.answer(request.id, request.digest, { type: 'decline' });
        }
      }
      expect(await run.ended).toBe('completed');
      expect(events().filter(({ type }) => type === 'tool_denied')).toHaveLength(mode === 'auto' ? 0 : 2);
      if (mode === 'auto') expect(await snapshot(workspace)).not.toEqual(before);
      else expect(await snapshot(workspace)).toEqual(before);
      await servers.close();
    },
  );

  it('is in a file that is known to change something', async () => {
    const found = (await sources())
      .filter(({ text }) => {
        const imports = text.match(/import (?!type )[^;]*from 'node:(?:fs|fs\/promises|child_process)';/g) ?? [];
        return imports.some((line) => line.includes('child_process') || CHANGES.test(line)) || /\bfs\.\w/.test(text);
      })
      .map(({ name }) => name);
    expect(found.sort()).toEqual(Object.keys(MAY_CHANGE).sort());
    const holding = (await sources())
      .filter(({ name, text }) => !name.endsWith('/held-folder.ts') && text.includes("'./held-folder'"))
      .filter(({ text }) => CHANGES_IN_FOLDER.test(text))
      .map(({ name }) => name);
    expect(holding.sort()).toEqual(Object.keys(MAY_CHANGE_IN_FOLDER).sort());
  });

  it('goes through the one place that executes calls, after the one place that decides', async () => {
    const all = await sources();
    const using = (pattern: RegExp) => all.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
    expect(using(/\.execute\(/)).toEqual(['runs/execute-call.ts']);
    expect(using(/\bexecuteCall\(/).sort()).toEqual([
      'runs/execute-call.ts',
      'runs/run-call.ts',
      // Only after the operator has allowed this one execution more than the agent file does.
      'runs/wider-call.ts',
    ]);
    // What goes beyond an agent file is made in one place, after a look; it goes to one execution and is kept nowhere.
    expect(using(/\bafterALook\(/).sort()).toEqual(['sandbox/wider/offer.ts', 'sandbox/wider/permission.ts']);
    expect(using(/\bnew Permission\(/)).toEqual(['sandbox/wider/permission.ts']);
    expect(using(/\/permission';/).sort()).toEqual([
      'runs/decide-call.ts',
      'runs/execute-call.ts',
      'runs/wider-call.ts',
      'sandbox/policy.ts',
      'sandbox/process.ts',
      'sandbox/wider/offer.ts',
      'tools/tool.ts',
    ]);
    expect(using(/\bsandbox\.run\(/).sort()).toEqual([
      // Adds the agent's policy to what a tool starts.
      'sandbox/policy.ts',
      // Tries to break the sandbox, at the start, with commands of its own.
      'sandbox/probe.ts',
      'tools/computer/command-call.ts',
    ]);
    expect(using(/require\(|process\.binding|eval\(|new Function/).sort()).toEqual([
      // A few lines of text for a process of its own in the sandbox, before the command.
      'sandbox/proxy/listener.ts',
      // The search's worker is a few lines of text, so that a pattern that hangs can be ended.
      'tools/computer/line-matcher.ts',
    ]);
  });

  it('to the network is in a file that is known to take it', async () => {
    const modules =
      /^import (?!type\b)([^;]*) from '(?:node:(?:http|https|http2|net|tls|dgram|dns|dns\/promises)|undici|ws)';/gm;
    const onlyLooks = /^\{(?: (?:isIP|isIPv4|isIPv6|type \w+),?)+ \}$/;
    const reaches = (text: string) =>
      /\bfetch\(/.test(text) || [...text.matchAll(modules)].some(([, names = '']) => !onlyLooks.test(names));
    const found = (await sources()).filter(({ text }) => reaches(text)).map(({ name }) => name);
    expect(found.sort()).toEqual(Object.keys(MAY_CONNECT).sort());
  });

  it('of an MCP server goes through the one tool that calls it', async () => {
    const all = await sources();
    const using = (pattern: RegExp) => all.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
    // What stays and is spoken with: what describes itself, and the servers of a run.
    expect(using(/\bsandbox\.open\(/).sort()).toEqual([
      'sandbox/policy.ts',
      'tools/command/introspect.ts',
      'tools/mcp/servers.ts',
    ]);
    expect(using(/'tools\/call'/)).toEqual(['tools/mcp/connection.ts']);
    expect(using(/\blink\.call\(/)).toEqual(['tools/mcp/mcp-tool.ts']);
  });
});
