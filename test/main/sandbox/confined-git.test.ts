import { execFileSync } from 'node:child_process';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../src/main/tools/tool';
import { call, contextOf } from '../tools/computer/helpers';
import { confinable, confinedSh } from './confined';
import { tempFolder } from './helpers';

/** Where everything of a case lies: `ws` is the workspace, all else is the operator's. */
interface World {
  readonly top: string;
  readonly workspace: string;
  /** What must not come to be: only a program that a command had git start makes it. */
  readonly marker: string;
}

interface Case {
  readonly name: string;
  /** What the operator has, with git as $G. In `top`. */
  readonly given: string;
  /** What a command does, in the workspace, with EVIL for settings that make git start something. */
  readonly script: string;
  /** Where the operator then asks for the status; the workspace where it is left out. */
  readonly status?: string;
  /** What is opened for writing beyond the workspace. */
  readonly write?: string;
  /** What is told of it. */
  readonly told?: RegExp;
}

const G = 'git -c user.name=a -c user.email=a@b.invalid -c init.defaultBranch=main -c advice.addEmbeddedRepo=false';
const REPOSITORY = '$G init -q ws; cd ws; echo a > a; $G add a; $G commit -q -m a;';
const EMBEDDED = `${REPOSITORY} $G init -q sub; $G -C sub commit -q --allow-empty -m s; $G add sub; $G commit -q -m sub;`;
const SUBMODULE = `$G init -q lib; $G -C lib commit -q --allow-empty -m l; ${REPOSITORY} $G -c protocol.file.allow=always submodule --quiet add ../lib sub; $G commit -q -m sub;`;
const TREE = `${REPOSITORY} $G worktree add -q ../tree -b tree;`;
/** A folder with what git needs for its own, with such settings. */
const FAKE =
  'mkdir -p evil/objects evil/refs; cp .git/HEAD evil/ 2>/dev/null || echo "ref: refs/heads/main" > evil/HEAD; EVIL >> evil/config;';
const NESTED =
  '$G init -q sub; EVIL >> sub/.git/config; $G -c core.fsmonitor=false -C sub commit -q --allow-empty -m x;';

/** Git then has a working tree in a git folder. */
const TREE_HERE = "printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = .\\n' >> config";

const CASES: readonly Case[] = [
  {
    name: 'another folder with what working trees have in common',
    given: REPOSITORY,
    script: `${FAKE} echo ../evil > .git/commondir`,
    told: /\.git\/commondir is protected/,
  },
  {
    name: 'the same of another working tree',
    given: TREE,
    script: `${FAKE} echo ../../../evil > .git/worktrees/tree/commondir`,
    status: 'tree',
  },
  {
    name: 'another working tree, made anew',
    given: TREE,
    script: `${FAKE} cp -r .git/worktrees/tree t; rm -rf .git/worktrees/tree; echo ../../../evil > t/commondir; mv t .git/worktrees/tree`,
    status: 'tree',
  },
  {
    name: 'the folder of all other working trees, made anew',
    given: TREE,
    script: `${FAKE} cp -r .git/worktrees t; echo ../../../evil > t/tree/commondir; mv .git/worktrees gone; mv t .git/worktrees`,
    status: 'tree',
  },
  {
    name: 'settings of another working tree',
    given: `${TREE} $G config extensions.worktreeConfig true;`,
    script: 'EVIL >> .git/worktrees/tree/config.worktree',
    status: 'tree',
    told: /worktrees\/tree\/config\.worktree is protected/,
  },
  {
    name: 'a repository in the index',
    given: REPOSITORY,
    script: `${NESTED} $G add sub`,
    told: /sub\/\.git was moved aside: an index names it/,
  },
  {
    name: 'one in the index before it is there',
    given: REPOSITORY,
    script: `$G update-index --add --cacheinfo 160000,$($G rev-parse HEAD),deep/er/sub; mkdir -p deep/er; ${NESTED} mv sub deep/er/sub`,
    told: /deep\/er\/sub\/\.git was moved aside/,
  },
  {
    name: 'one in an index that is split',
    given: `${REPOSITORY} $G update-index --split-index;`,
    script: `${NESTED} $G add sub; $G update-index --split-index`,
    told: /sub\/\.git was moved aside/,
  },
  {
    name: 'one in an index of the fourth version',
    given: `${REPOSITORY} $G update-index --index-version=4;`,
    script: `${NESTED} $G add sub`,
    told: /sub\/\.git was moved aside/,
  },
  {
    name: 'one in a repository that hashes otherwise',
    given: REPOSITORY.replace('init', 'init --object-format=sha256'),
    script: `${NESTED.replace('init', 'init --object-format=sha256')} $G add sub`,
    told: /sub\/\.git was moved aside/,
  },
  { name: 'the settings of one that is in the index', given: EMBEDDED, script: 'EVIL >> sub/.git/config' },
  {
    name: 'one that is in the index, made anew',
    given: EMBEDDED,
    script: `rm -rf sub; mv sub gone; ${NESTED}`,
  },
  {
    name: 'one in the index of one that is in the index',
    given: EMBEDDED,
    script: `cd sub; ${NESTED.replaceAll('sub', 'deep')} $G add deep`,
    told: /sub\/deep\/\.git was moved aside/,
  },
  { name: 'another git folder for a submodule', given: SUBMODULE, script: `${FAKE} echo "gitdir: ../evil" > sub/.git` },
  { name: 'a submodule, made anew', given: SUBMODULE, script: `rm -rf sub; mv sub gone; ${NESTED}` },
  {
    name: 'a submodule that is not there yet',
    given: `${SUBMODULE} $G submodule --quiet deinit --force sub;`,
    script: NESTED,
    told: /sub\/\.git/,
  },
  {
    name: 'a git folder in a workspace without one',
    given: 'mkdir ws;',
    script: `${FAKE} mv evil/* .; ${TREE_HERE}`,
    told: /HEAD is protected/,
  },
  {
    name: 'the same where half of it is there',
    given: 'mkdir -p ws/refs; echo "ref: refs/heads/main" > ws/HEAD;',
    script: `mkdir objects; EVIL >> config; ${TREE_HERE}`,
    told: /objects is protected/,
  },
  {
    name: 'the settings of a workspace that is a git folder itself',
    given: '$G init -q --bare ws;',
    script: `EVIL >> config; ${TREE_HERE}`,
  },
  {
    name: 'the settings of a repository that may be written to',
    given: '$G init -q other; mkdir ws;',
    script: 'EVIL >> ../other/.git/config',
    status: 'other',
    write: 'other',
  },
  {
    name: 'a repository in a folder that may be written to',
    given: 'mkdir ws other;',
    script: 'cd ../other; $G init -q .; EVIL >> .git/config',
    status: 'other',
    write: 'other',
    told: /other\/\.git is protected/,
  },
  {
    name: 'the settings behind a working tree whose git folder may be written to',
    given: '$G init -q main; cd main; $G commit -q --allow-empty -m a; $G worktree add -q ../ws -b ws;',
    script: 'EVIL >> ../main/.git/config',
    write: 'main/.git',
  },
  {
    name: 'the same through the folder of that working tree alone',
    given: '$G init -q main; cd main; $G commit -q --allow-empty -m a; $G worktree add -q ../ws -b ws;',
    script: `${FAKE} echo ../../../../ws/evil > ../main/.git/worktrees/ws/commondir`,
    write: 'main/.git/worktrees/ws',
  },
];

const sh = (script: string, cwd: string): void => {
  execFileSync('sh', ['-c', `G="${G}"; ${script}`], { cwd, stdio: 'pipe' });
};

/** Waits until a path is gone again, and says so. */
const waitFor = (path: string): string =>
  `for i in $(seq 300); do [ -e ${path} ] || { echo GONE; exit; }; sleep 0.02; done`;

async function world(given: string): Promise<World> {
  const top = await tempFolder();
  sh(`set -e; ${given}`, top);
  return { top, workspace: join(top, 'ws'), marker: join(top, 'started') };
}

/** The command, with settings that have git start something whenever it is asked for the status. */
const commandOf = ({ script }: Case, { marker }: World): string =>
  `G="${G}"; ${script.replaceAll('EVIL', `printf '[core]\\nfsmonitor = "touch ${marker}; false"\\n'`)}`;

/** Asks for the status as an operator does, or an editor every second. */
async function startedBy({ status = 'ws' }: Case, { top, marker }: World): Promise<boolean> {
  try {
    sh('$G status', join(top, status));
  } catch {
    // It may well be broken.
  }
  return (await lstat(marker).catch(() => null)) !== null;
}

describe.runIf(confinable)('what git does for the operator is not up to a command', () => {
  it.each(CASES.map((one) => [one.name, one] as const))('by %s', async (_, one) => {
    // First without a sandbox: it is an attempt only if it would work.
    const open = await world(one.given);
    try {
      sh(commandOf(one, open), open.workspace);
    } catch {
      // The status says what came of it.
    }
    expect(await startedBy(one, open), 'it works without a sandbox').toBe(true);

    const at = await world(one.given);
    const policy = one.write === undefined ? {} : { write: [join(at.top, one.write)] };
    const { end, notes } = await confinedSh(commandOf(one, at), { workspace: at.workspace, policy });
    expect(end.type).toBe('exited');
    expect(await startedBy(one, at)).toBe(false);
    if (one.told !== undefined) expect(notes?.join('\n')).toMatch(one.told);
  });

  it.each([
    ['.git/commondir', 'echo ../evil > .git/commondir', '.git/commondir'],
    ['a repository in the index', '$G init -q sub; $G -C sub commit -q --allow-empty -m x; $G add sub', 'sub/.git'],
    [
      'one in the index before it is there',
      '$G update-index --add --cacheinfo 160000,$($G rev-parse HEAD),deep/sub; sleep 0.2; mkdir -p deep/sub; $G init -q deep/sub',
      'deep/sub/.git',
    ],
    ['a protected file in a folder', 'mkdir deploy; echo x > deploy/key', 'deploy/key'],
    [
      'a protected file in folders that came and went',
      'mkdir deploy; rmdir deploy; mkdir deploy; echo x > deploy/key',
      'deploy/key',
    ],
  ])('nor while it runs: %s goes at once', async (_, script, path) => {
    const { workspace } = await world(REPOSITORY);
    const { output } = await confinedSh(`G="${G}"; { ${script}; } > /dev/null 2>&1; ${waitFor(path)}`, {
      workspace,
      policy: { protect: ['deploy/key'] },
    });
    expect(output).toBe('GONE\n');
  });

  it('nor while it runs: a repository in a folder that may be written to goes at once', async () => {
    const { workspace, top } = await world('mkdir ws other;');
    const other = join(top, 'other');
    const script = `mkdir ${other}/.git; ${waitFor(`${other}/.git`)}`;
    expect((await confinedSh(script, { workspace, policy: { write: [other] } })).output).toBe('GONE\n');
  });

  it('a command that puts another index there again and again is ended', async () => {
    const { workspace } = await world(REPOSITORY);
    const script = 'while :; do echo odd > i; mv i .git/index; done 2> /dev/null';
    const { end, notes } = await confinedSh(script, { workspace });
    expect(end.type).not.toBe('timed-out');
    expect(notes?.[0]).toContain('it kept making .git/index');
  });

  it('an index that names more repositories than anybody has goes itself', async () => {
    const { workspace } = await world(REPOSITORY);
    const names = 'for i in $(seq 150); do printf "160000 $h\\tsub$i\\n"; done';
    const { notes } = await confinedSh(`h=$(${G} rev-parse HEAD); { ${names}; } | git update-index --index-info`, {
      workspace,
    });
    expect(notes?.join('\n')).toContain('.git/index is protected and was moved aside');
  });
});

describe.runIf(confinable)('more repositories than can be looked at', () => {
  const many = 'for i in $(seq 1100); do printf "160000 $h\\tsub$i\\n"; done';
  const given = `${REPOSITORY} h=$($G rev-parse HEAD); { ${many}; } | $G update-index --index-info;`;

  it('keep a command from starting, and a tool from writing, in words', async () => {
    const { workspace } = await world(given);
    const { end } = await confinedSh('true', { workspace });
    expect(end).toMatchObject({ type: 'not-started', message: expect.stringContaining('more than 1000 repositories') });
    const writing = call(contextOf(workspace), 'write_file', { path: 'a', content: 'x' });
    await expect(writing).rejects.toThrow('more than 1000 repositories');
    await expect(writing).rejects.toBeInstanceOf(ToolError);
  });

  it('do not come to be by a command: an index that leads to them goes', async () => {
    const { workspace } = await world(REPOSITORY);
    const script = `G="${G}"; $G init -q sub; $G -C sub commit -q --allow-empty -m x; h=$($G rev-parse HEAD); { ${many}; } | $G -C sub update-index --index-info; $G add sub`;
    const { notes } = await confinedSh(script, { workspace });
    expect(notes?.join('\n')).toContain('.git/index is protected and was moved aside');
  });
});

describe.runIf(confinable)('and what git does for a command still works', () => {
  it('with other working trees, embedded repositories and submodules there', async () => {
    const { workspace, top } = await world(
      `${SUBMODULE} $G worktree add -q ../tree -b tree; $G worktree add -q inside -b inside;`,
    );
    const before = await readFile(join(workspace, '.git/config'), 'utf8');
    const script = `G="${G}"; set -e; echo b > b; $G add b; $G commit -q -m b; $G status --short; $G checkout -q -b other; $G worktree list; cd inside; echo c > c; $G add c; $G commit -q -m c; cd ..; $G submodule status; $G worktree add -q more -b more; cd more; echo d > d; $G add d; $G commit -q -m d; cd ..; $G gc -q; $G log --all --oneline | wc -l`;
    const { end, output, notes } = await confinedSh(script, { workspace });
    expect({ end, notes: notes ?? [] }, output).toEqual({ end: { type: 'exited', exitCode: 0 }, notes: [] });
    expect(output.trim().split('\n').at(-1)).toBe('5');
    expect(await readFile(join(workspace, '.git/config'), 'utf8')).toBe(before);
    sh('$G status; $G -C ../tree status; $G submodule update', workspace);
    expect(await readdir(join(top, 'tree'))).toContain('a');
  });

  it('a repository that no index names is its own', async () => {
    const { workspace } = await world(REPOSITORY);
    const script = `G="${G}"; set -e; $G init -q vendor; cd vendor; $G config core.pager cat; echo v > v; $G add v; $G commit -q -m v; $G log --oneline`;
    const { end, notes } = await confinedSh(script, { workspace });
    expect({ end, notes: notes ?? [] }).toEqual({ end: { type: 'exited', exitCode: 0 }, notes: [] });
    expect((await lstat(join(workspace, 'vendor/.git/config'))).isFile()).toBe(true);
  });
});
