import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { runCommandTool } from '../../../src/main/tools/computer/run-command';
import { shellTool } from '../../../src/main/tools/computer/shell';
import { startRun } from '../../support/run';
import { openStore, rememberable, type Store } from '../../support/store';
import { confinable } from '../sandbox/confined';
import { again, approve, askedForMore, makePlace, nextRequest, only, type Place, runIn } from './wider';

let store: Store;
let place: Place;
beforeEach(async () => {
  store = await openStore();
  place = await makePlace();
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

/** Leaves a line in the workspace each time that it runs, then writes outside. */
const writes = () => `echo ran >> trace; echo new > ${place.outside}/file`;
const runs = async () =>
  (await readFile(join(place.workspace, 'trace'), 'utf8').catch(() => '')).split('\n').length - 1;
const told = (content: string | undefined) => JSON.parse(content ?? '{}') as Record<string, unknown>;

describe.runIf(confinable)('a command that the sandbox refused a write', () => {
  it('may run once more with that folder open, and only then writes', async () => {
    const { run, of } = runIn(store, place, [writes()]);
    const asked = await askedForMore(store);
    expect(asked).toMatchObject({
      tool: 'shell',
      gatedBy: {
        because: 'wider',
        exitCode: 2,
        allows: [{ kind: 'write', path: place.outside, is: 'folder', nearestTo: join(place.outside, 'file') }],
      },
      remember: [],
      changed: null,
    });
    expect(asked.labels.map(({ id }) => id)).toContain('outside');
    expect(asked.command.map(({ segments }) => segments.map(({ text }) => text).join(''))).toEqual([
      'sh',
      '-c',
      writes(),
    ]);
    expect(await runs()).toBe(1);
    expect(await readdir(place.outside)).toEqual([]);
    expect(of('call_result')).toEqual([]);
    approve(store, asked);
    expect(await run.ended).toBe('completed');
    expect(await runs()).toBe(2);
    expect(await readFile(join(place.outside, 'file'), 'utf8')).toBe('new\n');
    const [first, second] = of('call_started');
    expect(first?.allows).toBeUndefined();
    expect(second).toMatchObject({ allowedBy: 'operator', digest: asked.digest, allows: [{ path: place.outside }] });
    expect(second?.digest).not.toBe(first?.digest);
    expect(of('call_result')).toHaveLength(1);
    expect(told(of('call_result')[0]?.content)).toMatchObject({
      exit_code: 0,
      permission_note: expect.stringMatching(/^It ran and ended with exit code 2; .*this once allowed to write in /),
    });
  });

  it('has its result on record before anyone is asked', async () => {
    const { run, events, of } = runIn(store, place, [writes()]);
    const asked = await askedForMore(store);
    const order = events().map(({ type }) => type);
    expect(order.indexOf('call_refused')).toBeLessThan(order.lastIndexOf('request_opened'));
    expect(told(of('call_refused')[0]?.content)).toMatchObject({ exit_code: 2 });
    expect(of('call_refused')[0]?.asks).toEqual(asked.gatedBy.because === 'wider' ? asked.gatedBy.allows : null);
    run.stop();
    await run.ended;
  });

  it('opens nothing to the next call, nor to the same one again', async () => {
    const { run, of } = runIn(store, place, [writes(), `echo x > ${place.outside}/other`, writes()]);
    approve(store, await askedForMore(store));
    let last = await askedForMore(store);
    expect(last.gatedBy).toMatchObject({ because: 'wider', allows: [{ path: place.outside }] });
    store.inbox.answer(last.id, last.digest, { type: 'decline' });
    // The same thing was declined: the third call is not asked about again.
    last = await nextRequest(store, last);
    expect(last.gatedBy).toMatchObject({ because: 'mode' });
    approve(store, last);
    expect(await run.ended).toBe('completed');
    expect(await readdir(place.outside)).toEqual(['file']);
    expect(of('call_started').map(({ allows }) => allows?.length ?? 0)).toEqual([0, 1, 0, 0]);
  });

  it('tells the agent of a decline with its first result and the operator’s words', async () => {
    const { run, of } = runIn(store, place, [writes()]);
    const asked = await askedForMore(store);
    store.inbox.answer(asked.id, asked.digest, { type: 'decline', reason: 'not in there' });
    expect(await run.ended).toBe('completed');
    const { permission_note: note, exit_code: exitCode } = told(of('call_result')[0]?.content);
    expect(exitCode).toBe(2);
    expect(note).toMatch(
      /^The operator was asked .* and declined\. This is final: .* The operator's words: not in there$/,
    );
    expect(of('tool_denied')).toEqual([]);
    expect(await runs()).toBe(1);
  });

  it('lets a question that nobody answers expire, and never words that as a decision', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true });
    const { run, of } = runIn(store, place, [writes(), writes()], { settings: { approvalTimeoutMs: 90_000 } });
    const asked = await askedForMore(store);
    await vi.advanceTimersByTimeAsync(90_000);
    const second = await nextRequest(store, asked);
    const [result] = of('call_result');
    const note = told(result?.content).permission_note;
    expect(note).toMatch(/^Nobody answered within 90 s whether this may run again and also write in /);
    expect(note).not.toMatch(/declin|denied|refus|the operator/i);
    approve(store, second);
    expect(await run.ended).toBe('completed');
    // Not asked about again in this run.
    expect(of('request_opened')).toHaveLength(3);
    expect(await runs()).toBe(2);
  });

  it('gives the first result where the run is stopped while it waits', async () => {
    const { run, of } = runIn(store, place, [writes()]);
    await askedForMore(store);
    run.stop();
    expect(await run.ended).toBe('stopped');
    expect(told(of('call_result')[0]?.content)).toMatchObject({
      exit_code: 2,
      permission_note: expect.stringMatching(/^The run was stopped before anyone said/),
    });
    expect(of('tool_denied')).toEqual([]);
    expect(await runs()).toBe(1);
  });

  it.each([
    ['in readonly mode', { settings: { mode: 'readonly' as const } }],
    ['without an operator', { settings: { mode: 'auto' as const }, operator: false }],
  ])('is not asked about %s', async (_name, options) => {
    // Only a command that is not dangerous runs in readonly at all.
    const harmless = { ...shellTool, dangerous: false };
    const turns = [{ calls: [{ tool: 'shell', input: { command: writes() } }] }, { say: 'Done.' }];
    const { run, events } = startRun(store, turns, [harmless], { ...options, context: place.context });
    expect(await run.ended).toBe('completed');
    expect(events().map(({ type }) => type)).not.toContain('request_opened');
    expect(events().map(({ type }) => type)).not.toContain('call_refused');
    expect(await runs()).toBe(1);
  });

  it('asks in the mode auto, and a grant neither answers it nor comes of it', async () => {
    const { run, ref, of } = runIn(store, place, [writes()], { settings: { mode: 'auto' } });
    const asked = await nextRequest(store);
    expect(asked.gatedBy.because).toBe('wider');
    const call = rememberable({ tool: 'shell', program: null, digest: asked.digest });
    // One of each scope, given while it waits; the exact one even for the very digest.
    for (const scope of ['exact', 'session', 'agent'] as const) {
      const grant = store.grants.draft(ref.sessionId, call, scope, null);
      if (grant !== null)
        store.journal.append(ref, [{ type: 'grant_given', grant }], 'durable', () => store.grants.insert(grant));
    }
    expect(() => store.inbox.answer(asked.id, asked.digest, { type: 'approve', remember: 'session' })).toThrow(
      /cannot be remembered/,
    );
    expect(store.inbox.rememberable(asked.id)).toBeNull();
    expect(store.inbox.open()).toHaveLength(1);
    store.inbox.answer(asked.id, asked.digest, { type: 'decline' });
    expect(await run.ended).toBe('completed');
    expect(of('grant_used')).toEqual([]);
    expect(await runs()).toBe(1);
  });

  it('is not released by a grant that another request brings about', async () => {
    const first = runIn(store, place, [writes()], { settings: { mode: 'auto' } });
    const wider = await nextRequest(store);
    const other = runIn(store, place, ['true'], { settings: { agentId: 'agent-1' } });
    const asked = await nextRequest(store, wider);
    store.inbox.answer(asked.id, asked.digest, { type: 'approve', remember: 'agent' });
    await other.run.ended;
    expect(store.inbox.open().map(({ id }) => id)).toEqual([wider.id]);
    first.run.stop();
    await first.run.ended;
    expect(await runs()).toBe(1);
  });

  it('runs once, however often it is answered', async () => {
    const { run } = runIn(store, place, [writes()]);
    const asked = await askedForMore(store);
    approve(store, asked);
    expect(() => approve(store, asked)).toThrow(/settled before/);
    expect(() => store.inbox.answer(asked.id, asked.digest, { type: 'decline' })).toThrow(/settled before/);
    expect(await run.ended).toBe('completed');
    expect(await runs()).toBe(2);
  });

  it('refuses the digest of the command without more', async () => {
    const { run, of } = runIn(store, place, [writes()]);
    const asked = await askedForMore(store);
    const digest = of('call_started')[0]?.digest ?? '';
    expect(() => store.inbox.answer(asked.id, digest, { type: 'approve', remember: null })).toThrow(/Read it again/);
    run.stop();
    await run.ended;
    expect(await runs()).toBe(1);
  });
});

describe.runIf(confinable)('what a second run needs', () => {
  it('is asked for once more, with all that it would then be allowed; a third time nobody is asked', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => join(place.outside, name));
    for (const folder of [one, two, three]) await mkdir(String(folder));
    const script = `echo ran >> trace; set -e; for f in ${one} ${two} ${three}; do echo x > $f/x; done`;
    // One after the other, so that each run fails at the next; what a script names is offered to be read as well.
    const command = `f=$(echo ${place.outside} | cat); ${script.replaceAll(place.outside, '$f')}`;
    const { run, of } = runIn(store, place, [command], { settings: { mode: 'auto' } });
    const first = await nextRequest(store);
    const paths = (request: typeof first) =>
      request.gatedBy.because === 'wider'
        ? request.gatedBy.allows.map((thing) => ('path' in thing ? thing.path : ''))
        : [];
    expect(paths(first)).toContain(one);
    approve(store, first);
    const second = await nextRequest(store, first);
    expect(paths(second)).toEqual(expect.arrayContaining(paths(first)));
    expect(paths(second).length).toBeGreaterThan(paths(first).length);
    approve(store, second);
    expect(await run.ended).toBe('completed');
    expect(of('request_opened')).toHaveLength(2);
    expect(of('call_refused')).toHaveLength(2);
    expect(of('call_started')).toHaveLength(3);
    expect(await runs()).toBe(3);
  });
});

describe.runIf(confinable)('reading', () => {
  it('is asked for, and opens that one file to be read', async () => {
    await writeFile(join(place.outside, 'notes'), 'hello');
    await writeFile(join(place.outside, 'other'), 'secret');
    const command = `cat ${place.outside}/notes; f=${place.outside}; cat $f/other $f/notes; echo x >> $f/notes`;
    const { run, of } = runIn(store, place, [command.replace(/f=\S+;/, `f=$(dirname ${place.outside}/notes);`)], {
      settings: { mode: 'auto' },
    });
    const asked = await nextRequest(store);
    expect(asked.gatedBy).toMatchObject({
      allows: expect.arrayContaining([expect.objectContaining({ kind: 'read' })]),
    });
    run.stop();
    await run.ended;
    expect(of('call_started')).toHaveLength(1);
    expect(await readFile(join(place.outside, 'notes'), 'utf8')).toBe('hello');
  });

  it('of what only the arguments name is asked for', async () => {
    await writeFile(join(place.outside, 'config'), 'setting');
    const argv = ['sh', '-c', '[ -e "$1" ] && cat "$1"', 'sh', join(place.outside, 'config')];
    const turns = [{ calls: [{ tool: 'run_command', input: { argv } }] }, { say: 'Done.' }];
    const { run, events } = startRun(store, turns, [runCommandTool], {
      settings: { mode: 'auto' },
      context: place.context,
    });
    const asked = await nextRequest(store);
    expect(asked.gatedBy).toMatchObject({
      allows: [{ kind: 'read', path: join(place.outside, 'config'), is: 'file', nearestTo: null }],
    });
    approve(store, asked);
    await run.ended;
    const result = events().findLast(({ type }) => type === 'call_result');
    expect(told(result?.type === 'call_result' ? result.content : '')).toMatchObject({
      exit_code: 0,
      output: 'setting',
    });
  });
});

describe.runIf(confinable)('the network', () => {
  let server: Server;
  let port: number;
  beforeEach(async () => {
    server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    port = (server.address() as { port: number }).port;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('is asked for, and is open for that one run alone', async () => {
    // What it prints is what it prints where there is no network; what it reaches is a server of this machine.
    const script = `const s = require('net').connect(${port}, '127.0.0.1');
      s.on('data', (d) => console.log(String(d))).on('error', () => { console.log('Network is unreachable'); process.exit(7); });`;
    const call = { calls: [{ tool: 'run_command', input: { argv: ['node', '-e', script] } }] };
    const { run, events } = startRun(store, [call, call, { say: 'Done.' }], [runCommandTool], {
      settings: { mode: 'auto' },
      context: place.context,
    });
    const asked = await nextRequest(store);
    expect(asked.gatedBy).toEqual({
      because: 'wider',
      exitCode: 7,
      allows: [{ kind: 'network', host: null, port: null }],
    });
    expect(asked.labels.map(({ id }) => id)).toContain('network');
    expect(asked.sandbox.network).toBe('not-enforced');
    approve(store, asked);
    const next = await nextRequest(store, asked);
    expect(next.gatedBy.because).toBe('wider');
    run.stop();
    await run.ended;
    const results = events().filter(({ type }) => type === 'call_result');
    expect(results.map((body) => told(body.type === 'call_result' ? body.content : '').exit_code)).toEqual([0, 7]);
  });
});

describe.runIf(confinable)('a host that the agent file does not list', () => {
  it('is asked for by its name, and is reached in that one run alone', async () => {
    const server = createHttpServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const at = (name: string) => ({ host: `${name}.test`, port });
    // What stands for this machine has to be named as private; that alone opens nothing.
    const network = { hosts: [at('listed')], privateHosts: [at('listed'), at('other')] };
    const listing = await makePlace({ network }, async () => ['127.0.0.1']);
    const ask = 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())';
    const call = {
      calls: [{ tool: 'run_command', input: { argv: ['python3', '-c', ask, `http://other.test:${port}/`] } }],
    };
    const { run, events } = startRun(store, [call, call, { say: 'Done.' }], [runCommandTool], {
      settings: { mode: 'auto' },
      context: listing.context,
    });
    try {
      const asked = await nextRequest(store);
      expect(asked.gatedBy).toEqual({ because: 'wider', exitCode: 1, allows: [{ kind: 'network', ...at('other') }] });
      expect(asked.sandbox).toMatchObject({ network: 'enforced', label: expect.stringMatching(/1 more host$/) });
      approve(store, asked);
      const next = await nextRequest(store, asked);
      expect(next.gatedBy.because).toBe('wider');
      run.stop();
      await run.ended;
      const results = only(events(), 'call_result').map(({ content }) => told(content));
      expect(results).toMatchObject([{ exit_code: 0, output: 'hello\n' }, { exit_code: 1 }]);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe.runIf(confinable)('what a hostile command prints', () => {
  const lines = () => [
    `touch: cannot touch '${place.own}/store': Read-only file system`,
    "touch: cannot touch '/root/.ssh/authorized_keys': Read-only file system",
    'cat: /root/.ssh/id_rsa: No such file or directory',
    "mkdir: cannot create directory '/etc/cron.d/x': Read-only file system",
    "touch: cannot touch '/usr/bin/git': Read-only file system",
    "touch: cannot touch '/run/docker.sock': Read-only file system",
    'cat: /proc/1/environ: No such file or directory',
    "touch: cannot touch '/x': Read-only file system",
    `touch: cannot touch '${place.workspace}/.git/hooks/x': Read-only file system`,
    `touch: cannot touch '${place.workspace}/link/x': Read-only file system`,
    `touch: cannot touch '${place.outside}/../own/x': Read-only file system`,
    `cat: ${place.base}: No such file or directory`,
    `cat: '${place.outside}/a\u202eb': No such file or directory`,
  ];

  it('brings nobody a question about what is never opened', async () => {
    await symlink('/root/.ssh', join(place.workspace, 'link'));
    await writeFile(join(place.workspace, 'lies'), lines().join('\n'));
    const { run, of } = runIn(store, place, ['cat lies; exit 1'], { settings: { mode: 'auto' } });
    expect(await run.ended).toBe('completed');
    expect(of('request_opened')).toEqual([]);
    expect(of('call_refused')).toEqual([]);
  });

  it('is not asked about where a secret is in the name', async () => {
    const secret = createHash('sha256').update('a secret of the app').digest('hex');
    await mkdir(join(place.outside, secret));
    await writeFile(join(place.outside, secret, 'x'), '');
    const { run, of } = runIn(store, place, [`cat ${place.outside}/${secret}/x`], {
      settings: { mode: 'auto' },
      secrets: [{ name: 'KEY', value: secret }],
    });
    expect(await run.ended).toBe('completed');
    expect(of('request_opened')).toEqual([]);
  });

  it.each([
    ['is another folder', async () => mkdir(place.outside)],
    ['is a link', async () => symlink(place.own, place.outside)],
    ['is gone', async () => undefined],
  ])('does not open a place that changed between question and answer: it %s', async (name, change) => {
    const { run, of } = runIn(store, place, [writes()], { settings: { mode: 'auto' } });
    const asked = await nextRequest(store);
    await rename(place.outside, `${place.outside}-moved`);
    await change();
    approve(store, asked);
    if (name === 'is another folder') {
      const next = await nextRequest(store, asked);
      expect(next.changed).toMatch(new RegExp(`changed: place ${place.outside}\\. It has not run again\\.$`));
      expect(next.digest).not.toBe(asked.digest);
      // A second change, and it is given up.
      await rm(place.outside, { recursive: true });
      await rename(`${place.outside}-moved`, place.outside);
      approve(store, next);
    }
    expect(await run.ended).toBe('completed');
    expect(await runs()).toBe(1);
    expect(of('call_started')).toHaveLength(1);
    expect(told(of('call_result')[0]?.content)).toMatchObject({
      exit_code: 2,
      permission_note: expect.stringMatching(/^It did not run again: .*changed after it was asked about/),
    });
    expect(await readdir(place.own)).toEqual([]);
  });

  it('does not run a script that changed between question and answer without asking again', async () => {
    await writeFile(join(place.workspace, 'do.sh'), writes());
    const { run } = runIn(store, place, ['sh ./do.sh'], { settings: { mode: 'auto' } });
    const asked = await nextRequest(store);
    await writeFile(join(place.workspace, 'do.sh'), `echo other > ${place.outside}/other`);
    approve(store, asked);
    const next = await nextRequest(store, asked);
    expect(next.changed).toMatch(/do\.sh/);
    run.stop();
    await run.ended;
    expect(await readdir(place.outside)).toEqual([]);
  });
});

describe.runIf(confinable)('a question that the end of the app left open', () => {
  it.each(['quit', 'crash'])('is asked again on resume, with the result that was on record (%s)', async (how) => {
    const { run, ref, of } = runIn(store, place, [writes()]);
    const asked = await askedForMore(store);
    let after = store;
    if (how === 'quit') {
      run.interrupt();
      expect(await run.ended).toBe('interrupted');
    } else {
      // What waits in the memory of a process that was killed waits for nothing.
      after = await openStore(store.home);
      recoverInterrupted(after.reader, after.journal, after.inbox);
    }
    try {
      expect(of('request_settled').at(-1)?.settlement).toMatchObject({ outcome: 'interrupted' });
      const resumed = runIn(after, place, [], { ref: again(ref) });
      const next = await nextRequest(after);
      expect(next.gatedBy).toEqual(asked.gatedBy);
      expect(next.digest).toBe(asked.digest);
      expect(await runs()).toBe(1);
      approve(after, next);
      expect(await resumed.run.ended).toBe('completed');
      expect(await runs()).toBe(2);
      expect(resumed.of('call_result')).toHaveLength(1);
      expect(resumed.of('request_opened').some(({ request }) => request.kind === 'question')).toBe(false);
    } finally {
      if (after !== store) after.database.close();
    }
  });

  it('comes to the result on record where nobody can be asked any more', async () => {
    const { run, ref } = runIn(store, place, [writes()]);
    await askedForMore(store);
    run.interrupt();
    await run.ended;
    const resumed = runIn(store, place, [], { ref: again(ref), operator: false });
    expect(await resumed.run.ended).toBe('completed');
    expect(told(resumed.of('call_result')[0]?.content)).toMatchObject({
      exit_code: 2,
      permission_note: expect.stringMatching(/^There was nobody to ask/),
    });
    expect(await runs()).toBe(1);
  });

  it('asks what to do with a second run that may have run, and does not lose what the first came to', async () => {
    const { ref } = runIn(store, place, [`${writes()} && touch ${place.outside}/there && sleep 60`]);
    approve(store, await askedForMore(store));
    await vi.waitFor(async () => expect(await readdir(place.outside)).toContain('there'), { timeout: 10_000 });
    recoverInterrupted(store.reader, store.journal, store.inbox);
    const resumed = runIn(store, place, [], { ref: again(ref) });
    const question = await vi.waitFor(() => {
      const open = store.inbox.open()[0];
      expect(open).toMatchObject({ kind: 'question', question: expect.stringMatching(/may already have run/) });
      return open;
    });
    if (question === undefined) throw new Error('nothing was asked');
    store.inbox.answer(question.id, question.digest, { type: 'select', selected: 0 });
    expect(await resumed.run.ended).toBe('completed');
    expect(resumed.of('call_result').at(-1)?.content).toMatch(
      /chose not to run it again\. Before that it had run and ended; what that came to: \{"command"/,
    );
    expect(await runs()).toBe(2);
  });
});

describe.runIf(confinable)('the audit', () => {
  it('has the decision with all that was shown, and holds', async () => {
    const { run } = runIn(store, place, [writes()]);
    const asked = await askedForMore(store);
    approve(store, asked);
    await run.ended;
    const rows = [];
    for await (const line of store.audit.exportLines()) rows.push(JSON.parse(line));
    expect(rows.at(-1)).toMatchObject({
      requestId: asked.id,
      body: {
        digest: asked.digest,
        settlement: { outcome: 'approved', by: 'operator' },
        shown: { gatedBy: asked.gatedBy },
      },
    });
    expect(await store.audit.verify()).toMatchObject({ ok: true });
  });
});
