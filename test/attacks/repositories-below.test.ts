import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseSandbox } from '../../src/main/sandbox/choose-sandbox';
import { until } from '../main/sandbox/helpers';
import { calls, says, scripted } from '../support/agents';
import { confinable } from '../support/confinable';
import { wholeJournal } from '../support/store';
import { openSupervised, type Supervised } from '../support/supervisor';

let app: Supervised;
beforeEach(async () => {
  app = await openSupervised({
    sandbox: (dataFolder) => chooseSandbox({ instanceId: randomUUID(), dataFolder }),
  });
});
afterEach(() => app.close());

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], { cwd, stdio: 'pipe' });
}

const shell = (command: string) => calls('shell', { command });
const CONFIG = 'git config core.fsmonitor evil && echo CHANGED || echo HELD';

async function ended(id: SessionId, runs: number): Promise<void> {
  await until(() => {
    const ends = wholeJournal(app.store, id).filter(({ body }) => body.type === 'run_ended');
    return ends.length === runs;
  }, `run ${runs} ended`);
}

const results = (id: SessionId): string[] =>
  wholeJournal(app.store, id).flatMap(({ body }) => (body.type === 'call_result' ? [body.content] : []));

describe.runIf(confinable())('in a folder with repositories', () => {
  it('those of the operator are kept as they are; one that the agent makes is its own, in every turn', async () => {
    const theirs = join(app.workspace, 'src/theirs');
    await mkdir(theirs, { recursive: true });
    git(theirs, 'init', '--quiet');
    git(theirs, 'commit', '--quiet', '--allow-empty', '-m', 'x');
    const before = await readFile(join(theirs, '.git/config'), 'utf8');
    const turns = [
      shell(`cd src/theirs; ${CONFIG}`),
      calls('write_file', { path: 'src/theirs/.git/hooks/post-checkout', content: 'x' }),
      shell(`git init -q own && cd own && ${CONFIG}`),
      says('Done.'),
      shell(`cd src/theirs; ${CONFIG}; echo a > a; git add a && git commit -q -m a && echo COMMITTED`),
      shell(`cd own && ${CONFIG}; cd .. && rm -rf own && echo GONE`),
      says('Done.'),
    ];
    const id = await app.supervisor.start({
      ...(await app.agent(
        scripted('a', turns, {
          environment: {
            set: { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
          },
        }),
      )),
      mode: 'auto',
    });
    await ended(id, 1);
    await app.supervisor.send(id, 'Again', { agentChanged: 'ask', place: null });
    await ended(id, 2);
    const [first, second, third, fourth, fifth] = results(id);
    expect(first).toContain('HELD');
    expect(second).toContain('protected');
    expect(third).toContain('CHANGED');
    expect(fourth).toContain('HELD');
    expect(fourth).toContain('COMMITTED');
    expect(fifth).toContain('CHANGED');
    expect(fifth).toContain('GONE');
    expect(await readFile(join(theirs, '.git/config'), 'utf8')).toBe(before);

    // A new session takes what is there for the operator's.
    git(app.workspace, 'init', '--quiet', 'own');
    const other = await app.supervisor.start({
      ...(await app.agent(scripted('b', [shell(`cd own && ${CONFIG}`), says('Done.')]))),
      mode: 'auto',
    });
    await ended(other, 1);
    expect(results(other)[0]).toContain('HELD');
  });
});
