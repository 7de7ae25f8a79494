import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { confine, DEFAULT_POLICY, type SandboxPolicy } from '../../../../src/main/sandbox/policy';
import type { Sandbox } from '../../../../src/main/sandbox/process';
import { ToolError } from '../../../../src/main/tools/tool';
import { confinable, confinedSh, makeTier } from '../../sandbox/confined';
import { call, contextOf, tempFolder } from './helpers';

/** What is tried, with paths from the workspace, or from the folder that holds it where they begin with `TOP/`. */
type Attempt =
  | { readonly write: string }
  | { readonly edit: string }
  /** `brings`: what must not come to be there with it, if it is not the target itself. */
  | { readonly move: string; readonly to: string; readonly brings?: string }
  | { readonly delete: string };

type World = 'repository' | 'plain' | 'worktree' | 'several';
type Row = readonly [expected: 'done' | 'refused', world: World, attempt: Attempt];

/**
 * One table for both: what a command in the sandbox can change, the tools can, and what it cannot, they refuse. `protect`
 * names deploy, kept/deep and TOP/docs/secret; `write` names TOP/docs; `read` names TOP/reference and TOP/docs/fixed.
 */
const TABLE: readonly Row[] = [
  ['done', 'repository', { write: 'new' }],
  ['done', 'repository', { write: 'a/b/new' }],
  ['done', 'repository', { edit: 'file' }],
  ['done', 'repository', { delete: 'file' }],
  ['done', 'repository', { delete: 'folder' }],
  ['done', 'repository', { move: 'folder', to: 'renamed' }],

  // In a git folder.
  ['done', 'repository', { edit: '.git/HEAD' }],
  ['done', 'repository', { write: '.git/info/exclude-more' }],
  ['done', 'repository', { write: '.git/hooks-of-mine' }],
  ['refused', 'repository', { edit: '.git/config' }],
  ['refused', 'repository', { delete: '.git/config' }],
  ['refused', 'repository', { move: '.git/config', to: 'taken' }],
  ['refused', 'repository', { write: '.git/hooks/pre-commit' }],
  ['refused', 'repository', { write: '.git/hooks/deep/new' }],
  ['refused', 'repository', { delete: '.git/hooks' }],
  ['refused', 'repository', { move: '.git/hooks', to: 'taken' }],
  ['refused', 'repository', { move: 'file', to: '.git/hooks/post-checkout' }],
  ['refused', 'repository', { write: '.git/config.worktree' }],
  ['refused', 'repository', { move: 'file', to: '.git/config.worktree' }],
  ['refused', 'repository', { write: '.git/commondir' }],
  ['refused', 'repository', { write: '.git/modules/a/config' }],
  ['refused', 'repository', { move: 'folder', to: '.git/modules' }],
  ['refused', 'repository', { delete: '.git' }],
  ['refused', 'repository', { move: '.git', to: 'taken' }],

  // Missing, or a file that names another.
  ['refused', 'plain', { write: '.git' }],
  ['refused', 'plain', { write: '.git/HEAD' }],
  ['refused', 'plain', { write: '.git/hooks/pre-commit' }],
  ['refused', 'plain', { move: 'folder', to: '.git' }],
  ['refused', 'plain', { move: 'file', to: '.git' }],
  ['refused', 'worktree', { edit: '.git' }],
  ['refused', 'worktree', { delete: '.git' }],
  ['refused', 'worktree', { move: '.git', to: 'taken' }],
  ['refused', 'worktree', { edit: 'main/config' }],
  ['refused', 'worktree', { write: 'main/hooks/pre-commit' }],
  ['refused', 'worktree', { delete: 'main' }],
  ['refused', 'worktree', { move: 'main', to: 'taken' }],
  ['done', 'worktree', { edit: 'main/HEAD' }],

  // Repositories in the index, and the git folders of other working trees.
  ['refused', 'several', { edit: 'sub/.git/config' }],
  ['refused', 'several', { write: 'sub/.git/hooks/post-checkout' }],
  ['refused', 'several', { delete: 'sub/.git' }],
  ['refused', 'several', { move: 'sub/.git', to: 'taken' }],
  ['refused', 'several', { delete: 'sub' }],
  ['refused', 'several', { write: 'gone/.git' }],
  ['refused', 'several', { write: 'gone/.git/config' }],
  ['refused', 'several', { move: 'with-git', to: 'gone', brings: 'gone/.git' }],
  ['done', 'several', { write: 'gone/file' }],
  ['done', 'several', { write: 'sub/file' }],
  ['refused', 'several', { edit: '.git/worktrees/tree/commondir' }],
  ['refused', 'several', { delete: '.git/worktrees' }],
  ['refused', 'several', { write: '.git/worktrees/tree/config.worktree' }],
  ['done', 'several', { edit: '.git/worktrees/tree/HEAD' }],
  ['refused', 'plain', { write: 'HEAD' }],

  // In the workspace.
  ['refused', 'plain', { edit: '.env' }],
  ['refused', 'plain', { delete: '.env' }],
  ['refused', 'plain', { move: '.env', to: 'taken' }],
  ['refused', 'plain', { edit: '.env.staging' }],
  ['refused', 'plain', { write: '.env.local' }],
  ['refused', 'plain', { move: 'file', to: '.env.production' }],
  ['done', 'plain', { write: '.env.example' }],
  ['done', 'plain', { edit: '.env.sample' }],
  ['done', 'plain', { write: '.environment' }],
  ['done', 'plain', { write: 'folder/.env' }],
  ['done', 'plain', { write: 'folder/.git/config' }],
  ['refused', 'plain', { write: '.envrc' }],
  ['refused', 'plain', { write: '.vscode/tasks.json' }],
  ['refused', 'plain', { move: 'folder', to: '.idea' }],
  ['refused', 'plain', { write: '.mcp.json' }],
  // Where upper and lower case differ, this is another file.
  ['done', 'plain', { write: '.ENV' }],
  ['done', 'plain', { write: '.Git/config' }],
  ['done', 'plain', { write: '.env ' }],

  // Links in place of what is protected, and what they lead to.
  ['refused', 'repository', { delete: '.envrc' }],
  ['refused', 'repository', { move: '.envrc', to: 'taken' }],
  ['refused', 'repository', { edit: 'real-envrc' }],
  ['refused', 'repository', { delete: 'real-envrc' }],

  ['refused', 'worktree', { write: 'folder/not-there-yet' }],
  ['refused', 'worktree', { move: 'file', to: 'folder/not-there-yet' }],
  ['done', 'worktree', { write: 'folder/another' }],

  // What the agent file protects.
  ['refused', 'plain', { edit: 'deploy/key' }],
  ['refused', 'plain', { write: 'deploy/more/new' }],
  ['refused', 'plain', { delete: 'deploy' }],
  ['refused', 'plain', { move: 'deploy', to: 'taken' }],
  ['refused', 'plain', { move: 'file', to: 'deploy/new' }],
  ['refused', 'plain', { write: 'kept/deep' }],
  ['refused', 'plain', { write: 'kept/deep/er' }],
  ['refused', 'plain', { move: 'with-deep', to: 'kept', brings: 'kept/deep' }],
  ['refused', 'plain', { move: 'link', to: 'kept' }],
  ['done', 'plain', { move: 'folder', to: 'kept' }],
  ['done', 'plain', { write: 'kept/else' }],
  ['refused', 'repository', { delete: 'kept' }],
  ['refused', 'repository', { move: 'kept', to: 'taken' }],
  ['done', 'repository', { write: 'kept/else' }],

  // Beyond the workspace.
  ['done', 'plain', { write: 'TOP/docs/new' }],
  ['done', 'plain', { write: 'TOP/docs/deep/new' }],
  ['done', 'plain', { edit: 'TOP/docs/file' }],
  ['done', 'plain', { delete: 'TOP/docs/folder' }],
  ['done', 'plain', { move: 'TOP/docs/file', to: 'TOP/docs/folder/moved' }],
  ['refused', 'plain', { edit: 'TOP/docs/secret/file' }],
  ['refused', 'plain', { delete: 'TOP/docs/secret' }],
  ['refused', 'plain', { move: 'TOP/docs/secret', to: 'TOP/docs/taken' }],
  ['refused', 'plain', { edit: 'TOP/docs/fixed/file' }],
  ['refused', 'plain', { delete: 'TOP/docs/fixed' }],
  ['refused', 'plain', { delete: 'TOP/docs' }],
  ['refused', 'plain', { edit: 'TOP/reference/file' }],
  ['refused', 'plain', { write: 'TOP/reference/new' }],
  ['refused', 'plain', { delete: 'TOP/reference/file' }],
  ['refused', 'plain', { move: 'TOP/reference/file', to: 'taken' }],
  ['refused', 'plain', { move: 'file', to: 'TOP/reference/new' }],
  ['refused', 'plain', { write: 'TOP/new' }],
  ['refused', 'plain', { edit: 'TOP/outside/file' }],
  ['refused', 'plain', { write: 'TOP/ws-evil/new' }],

  // The data of the app.
  ['refused', 'plain', { edit: 'app/data/file' }],
  ['refused', 'plain', { write: 'app/data/new' }],
  ['refused', 'plain', { delete: 'app' }],
  ['refused', 'plain', { move: 'app', to: 'taken' }],
  ['refused', 'plain', { move: 'app/data', to: 'taken' }],
];

async function makeWorld(world: World): Promise<{ readonly top: string; readonly workspace: string }> {
  const top = await tempFolder();
  await chmod(top, 0o755);
  const workspace = join(top, 'ws');
  const files = [
    ...['file', 'folder/file', '.env.sample', 'with-deep/deep', 'deploy/key', 'app/data/file'].map(
      (path) => `ws/${path}`,
    ),
    ...[
      'docs/file',
      'docs/folder/file',
      'docs/secret/file',
      'docs/fixed/file',
      'reference/file',
      'outside/file',
      'ws-evil/file',
    ],
    ...(world === 'plain' ? ['ws/.env', 'ws/.env.staging'] : []),
    ...(world === 'repository' ? ['ws/kept/deep', 'ws/real-envrc'] : []),
    ...(world === 'worktree' ? ['ws/main/config', 'ws/main/HEAD'] : []),
  ];
  for (const path of files) {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), 'old\n');
  }
  await symlink('with-deep', join(workspace, 'link'));
  if (world === 'repository') {
    execFileSync('git', ['init', '--quiet', workspace]);
    await symlink('real-envrc', join(workspace, '.envrc'));
  }
  if (world === 'several') await makeSeveral(workspace);
  if (world === 'worktree') {
    await writeFile(join(workspace, '.git'), 'gitdir: main\n');
    await symlink('folder/not-there-yet', join(workspace, '.env'));
  }
  return { top, workspace };
}

/** A repository with one that is in its index, one that is only named there, and another working tree. */
async function makeSeveral(workspace: string): Promise<void> {
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], {
      cwd: workspace,
      stdio: 'pipe',
    });
  };
  git('init', '--quiet', '.');
  git('init', '--quiet', 'sub');
  git('-C', 'sub', 'commit', '--quiet', '--allow-empty', '-m', 'sub');
  git('add', 'sub');
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},gone`);
  git('commit', '--quiet', '-m', 'both');
  git('worktree', 'add', '--quiet', '../tree');
  await writeFile(join(workspace, 'sub/.git/config'), 'old\n', { flag: 'a' });
  await mkdir(join(workspace, 'with-git/.git'), { recursive: true });
}

async function confinedTo(top: string, policy: SandboxPolicy): Promise<Sandbox> {
  const hidden = [join(top, 'ws/app/data')];
  return { ...confine(await makeTier(hidden), policy, { require: 'none', network: false, accept: [] }), hidden };
}

const policyOf = (top: string): SandboxPolicy => ({
  ...DEFAULT_POLICY,
  protect: ['deploy', 'kept/deep', join(top, 'docs/secret')],
  write: [join(top, 'docs')],
  read: [join(top, 'reference'), join(top, 'docs/fixed')],
});

/** With the paths as a tool is given them. */
function placed(attempt: Attempt, top: string): Attempt {
  const entries = Object.entries(attempt).map(([key, path]) => [key, path.replace(/^TOP/, top)]);
  return Object.fromEntries(entries) as Attempt;
}

function script(attempt: Attempt): string {
  const q = (path: string): string => `'${path}'`;
  if ('write' in attempt) return `mkdir -p ${q(dirname(attempt.write))}; printf 'new\\n' > ${q(attempt.write)}`;
  if ('edit' in attempt) return `printf 'new\\n' > ${q(attempt.edit)}`;
  if ('move' in attempt) return `mv -T ${q(attempt.move)} ${q(attempt.to)}`;
  return `rm -rf ${q(attempt.delete)}`;
}

async function toolCalls(attempt: Attempt, sandbox: Sandbox, workspace: string): Promise<void> {
  const context = contextOf(workspace, { sandbox });
  const tries: [string, unknown][] =
    'write' in attempt
      ? [['write_file', { path: attempt.write, content: 'new\n' }]]
      : 'edit' in attempt
        ? [
            ['write_file', { path: attempt.edit, content: 'new\n', append: true }],
            ['edit_file', { path: attempt.edit, oldString: 'old', newString: 'new' }],
          ]
        : 'move' in attempt
          ? [['move', { from: attempt.move, to: attempt.to }]]
          : [['delete', { path: attempt.delete, recursive: true }]];
  for (const [tool, input] of tries) {
    await call(context, tool, input).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
    });
  }
}

/** What is there now of what it was about. */
async function outcome(attempt: Attempt, workspace: string): Promise<'done' | 'refused'> {
  const at = (path: string): string => resolve(workspace, path);
  const has = async (path: string): Promise<boolean> => (await lstat(at(path)).catch(() => null)) !== null;
  const isNew = async (path: string): Promise<boolean> =>
    (await readFile(at(path), 'utf8').catch(() => '')).includes('new\n');
  if ('write' in attempt) return (await isNew(attempt.write)) ? 'done' : 'refused';
  if ('edit' in attempt) return (await isNew(attempt.edit)) ? 'done' : 'refused';
  if ('delete' in attempt) return (await has(attempt.delete)) ? 'refused' : 'done';
  return !(await has(attempt.move)) && (await has(attempt.brings ?? attempt.to)) ? 'done' : 'refused';
}

describe.runIf(confinable)('one policy for commands and for the tools', () => {
  it.each(TABLE)('is %s, %s: %j', async (expected, world, wanted) => {
    const [forCommand, forTools] = [await makeWorld(world), await makeWorld(world)];
    const attempts = [forCommand, forTools].map(({ top }) => placed(wanted, top)) as [Attempt, Attempt];

    const confined = await confinedTo(forCommand.top, policyOf(forCommand.top));
    await confinedSh(script(attempts[0]), {
      sandbox: confined,
      workspace: forCommand.workspace,
      policy: policyOf(forCommand.top),
    });
    await toolCalls(attempts[1], await confinedTo(forTools.top, policyOf(forTools.top)), forTools.workspace);

    expect({
      command: await outcome(attempts[0], forCommand.workspace),
      tools: await outcome(attempts[1], forTools.workspace),
    }).toEqual({ command: expected, tools: expected });
  });
});
