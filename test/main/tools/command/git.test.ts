import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { EventBody } from '@shared/events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDemoRepository } from '../../../../src/main/agents/demo-repository';
import { loadAgent } from '../../../../src/main/agents/load';
import { type ResolvedAgent, resolveAgent } from '../../../../src/main/runs/resolve-agent';
import { createProcessTier } from '../../../../src/main/sandbox/process-tier';
import { startRun, waitForRequests } from '../../../support/run';
import { openStore, type Store } from '../../../support/store';

const AGENTS = resolve(import.meta.dirname, '../../../../agents');

let store: Store;
let repository = '';
let git: ResolvedAgent;
beforeEach(async () => {
  store = await openStore();
  repository = await createDemoRepository();
  const load = await loadAgent(join(AGENTS, 'git.agent.yaml'));
  if (!load.ok) throw new Error(load.problems[0]?.message);
  git = await resolveAgent(load.agent, {
    environment: process.env,
    defaultModel: 'claude-sonnet-4-5',
    sandbox: createProcessTier('git-test'),
  });
});
afterEach(async () => {
  await store.close();
  await rm(repository, { recursive: true, force: true });
});

function run(calls: readonly { tool: string; input: object }[], mode: 'auto' | 'ask' | 'readonly' = 'auto') {
  const turns = [...calls.map((one) => ({ calls: [one] })), { say: 'Done.' }];
  return startRun(
    store,
    turns,
    git.tools.map(({ tool }) => tool),
    {
      settings: { mode },
      context: { workspace: repository, sandbox: { ...git.sandbox, isWeak: false }, environment: git.environment },
    },
  );
}

const outputs = (events: readonly EventBody[]) =>
  events.flatMap((body) =>
    body.type === 'call_result' ? [JSON.parse(body.content) as { exit_code: number; output: string }] : [],
  );
const real = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: repository })).stdout.trim();

test('the git agent that ships has no problem and no warning, and searches for its tools', () => {
  expect(git.problems).toEqual([]);
  expect(git.warnings).toEqual([]);
  expect(git.toolSearch.on).toBe(true);
  const gated = git.tools.filter(({ tool }) => tool.tags.includes('ai:confirm')).map(({ tool }) => tool.name);
  expect(gated.sort()).toEqual(['clean', 'pull', 'push', 'reset', 'restore', 'stash_pop']);
});

test('a day’s work: status, log, diff, show, add, commit and branch run, and nobody is asked', async () => {
  await writeFile(join(repository, 'CHANGELOG.md'), '# Changelog\n\n## 0.3.0\n');
  await writeFile(join(repository, '--all'), 'a file with a name like a flag\n');
  const { run: work, events } = run([
    { tool: 'status', input: { short: true } },
    { tool: 'log', input: { oneline: true, 'max-count': 2 } },
    { tool: 'log', input: { oneline: true, what: ['HEAD~3', 'src/main.js'] } },
    { tool: 'diff', input: { stat: true, what: ['HEAD', 'CHANGELOG.md'] } },
    { tool: 'show', input: { stat: true, what: ['HEAD~1'] } },
    { tool: 'show', input: { what: ['--output=stolen'] } },
    { tool: 'add', input: { paths: ['CHANGELOG.md', '--all'] } },
    { tool: 'diff', input: { cached: true, 'name-only': true } },
    { tool: 'commit', input: { message: ['Bring the changelog up to 0.3.0', '-- not a flag'] } },
    { tool: 'branch', input: { name: 'topic' } },
    { tool: 'branch', input: { list: true } },
    { tool: 'status', input: {} },
  ]);
  expect(await work.ended).toBe('completed');
  expect(store.inbox.open()).toEqual([]);
  const results = outputs(events());
  expect(results.map(({ exit_code }) => exit_code)).toEqual([0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0]);
  const [status, log, logOfFile, diff, show] = results.map(({ output }) => output);
  expect(status).toContain(' M CHANGELOG.md');
  expect(log?.trim().split('\n')).toHaveLength(2);
  expect(logOfFile).toContain('Show the seconds that are left');
  expect(diff).toContain('CHANGELOG.md');
  expect(show).toContain('Ring the bell when the tea is ready');
  expect(results[7]?.output.trim().split('\n')).toEqual(['--all', 'CHANGELOG.md']);
  expect(results[11]?.output).toContain('nothing to commit');
  expect(await real('log', '-1', '--format=%B')).toBe('Bring the changelog up to 0.3.0\n\n-- not a flag');
  expect(await real('branch', '--list', 'topic')).toContain('topic');
});

test.each([
  ['push', { remote: 'origin', refs: ['main'] }],
  ['reset', { hard: true }],
  ['clean', { force: true }],
])('%s asks in auto mode because of its tag, and does nothing when it is declined', async (tool, input) => {
  await writeFile(join(repository, 'CHANGELOG.md'), 'changed\n');
  await writeFile(join(repository, 'new.txt'), 'new\n');
  const { run: work, events } = run([{ tool, input }]);
  const [request] = await waitForRequests(store);
  if (request?.kind !== 'approval') throw new Error('it was not asked about');
  expect(request.gatedBy).toEqual({ because: 'tag', tag: 'ai:confirm' });
  expect(request.command.map(({ segments }) => segments.map(({ text }) => text).join(''))).toEqual(
    tool === 'push' ? ['git', 'push', '--', 'origin', 'main'] : ['git', tool, tool === 'reset' ? '--hard' : '--force'],
  );
  store.inbox.answer(request.id, request.digest, { type: 'decline' });
  expect(await work.ended).toBe('completed');
  expect(events().find((body) => body.type === 'tool_denied')).toMatchObject({ outcome: 'declined' });
  expect(await readFile(join(repository, 'CHANGELOG.md'), 'utf8')).toBe('changed\n');
  expect(await readFile(join(repository, 'new.txt'), 'utf8')).toBe('new\n');
});

test('reset --hard, approved, does what was shown', async () => {
  await writeFile(join(repository, 'README.md'), 'changed\n');
  const { run: work, events } = run([{ tool: 'reset', input: { hard: true } }]);
  const [request] = await waitForRequests(store);
  if (request === undefined) throw new Error('it was not asked about');
  store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null });
  expect(await work.ended).toBe('completed');
  expect(outputs(events())).toMatchObject([{ exit_code: 0 }]);
  expect(await readFile(join(repository, 'README.md'), 'utf8')).toContain('# teatime');
});

test('in readonly mode it looks, and changes nothing', async () => {
  const head = await real('rev-parse', 'HEAD');
  const { run: work, events } = run(
    [
      { tool: 'log', input: {} },
      { tool: 'commit', input: { message: 'no', all: true } },
      { tool: 'push', input: {} },
    ],
    'readonly',
  );
  expect(await work.ended).toBe('completed');
  expect(events().flatMap((body) => (body.type === 'tool_denied' ? [[body.tool, body.outcome]] : []))).toEqual([
    ['commit', 'readonly'],
    ['push', 'readonly'],
  ]);
  expect(await real('rev-parse', 'HEAD')).toBe(head);
});

test('wrong arguments are an error for the model before anybody is asked', async () => {
  const { run: work, events } = run([
    { tool: 'push', input: { force: true } },
    { tool: 'log', input: { 'max-count': '1 --output=x' } },
    { tool: 'commit', input: {} },
  ]);
  expect(await work.ended).toBe('completed');
  const errors = events().flatMap((body) => (body.type === 'call_result' && body.isError ? [body.content] : []));
  expect(errors).toEqual([
    expect.stringContaining('"force" is no argument of this command'),
    expect.stringContaining('max-count must match'),
    expect.stringContaining('message is required'),
  ]);
});
