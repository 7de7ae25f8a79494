import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DEMO_COMMITS } from './demo-commits';

const run = promisify(execFile);

const NAME = 'Robin Demo';
const EMAIL = 'robin@example.com';

/** Nothing of the operator's own git: no configuration, no hooks, no repository that an environment points at. */
function gitEnvironment(folder: string, date: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    // git for Windows does not start without it.
    ...(process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot }),
    HOME: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: NAME,
    GIT_AUTHOR_EMAIL: EMAIL,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: NAME,
    GIT_COMMITTER_EMAIL: EMAIL,
    GIT_COMMITTER_DATE: date,
  };
}

async function git(folder: string, date: string, ...args: readonly string[]): Promise<void> {
  try {
    await run('git', [...args], { cwd: folder, env: gitEnvironment(folder, date), timeout: 30_000 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error('the demo needs git, and there is none on the PATH: install git and start the demo again');
    }
    throw new Error(`the demo's repository could not be made: git ${args.join(' ')} failed`, { cause: error });
  }
}

/**
 * Makes a small real git repository, the same every time, in a new temporary folder: a tiny project whose changelog has
 * fallen behind its history. The demo works in it, and nothing of the operator's own is at stake.
 * @returns the real path of the folder
 * @throws Error, with words for the operator, when git is missing or fails
 */
export async function createDemoRepository(parentFolder: string = tmpdir()): Promise<string> {
  const folder = await realpath(await mkdtemp(join(parentFolder, 'sayso-demo-')));
  const first = DEMO_COMMITS[0].date;
  await git(folder, first, 'init', '--quiet');
  await git(folder, first, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  // In the repository itself, so that the agent can commit there without the operator's configuration.
  await git(folder, first, 'config', 'user.name', NAME);
  await git(folder, first, 'config', 'user.email', EMAIL);
  await git(folder, first, 'config', 'commit.gpgsign', 'false');
  await git(folder, first, 'config', 'core.autocrlf', 'false');
  for (const { date, message, files } of DEMO_COMMITS) {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await git(folder, date, 'add', '--all');
    await git(folder, date, 'commit', '--quiet', '--message', message);
  }
  return folder;
}
