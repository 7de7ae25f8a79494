import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../src/main/tools/tool';
import { call, contextOf } from '../tools/computer/helpers';
import { confinable, confinedSh } from './confined';
import { tempFolder, until } from './helpers';

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

/** An entry of an index (gitformat-index): a repository where it is a link. */
function entry(name: string, mode: number, length = name.length): Buffer {
  const made = Buffer.alloc(Math.floor((62 + name.length + 8) / 8) * 8);
  made.writeUInt32BE(mode, 24);
  made.fill(0x11, 40, 60);
  made.writeUInt16BE(length, 60);
  made.write(name, 62, 'latin1');
  return made;
}
const link = (name: string): Buffer => entry(name, 0o160000);

function sealed(count: number, ...parts: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12, 'DIRC');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  const all = Buffer.concat([head, ...parts]);
  return Buffer.concat([all, createHash('sha1').update(all).digest()]);
}

/** An index whose second entry stands in what looks like an extension, because the first is longer than its name. */
function hidden(): Buffer {
  const [second, covered] = [entry('b', 0o100644), link('sub')];
  const head = Buffer.alloc(8, 'ZZZZ');
  head.writeUInt32BE(covered.length, 4);
  const spanned = entry('a', 0o100644).length + second.length + head.length;
  return sealed(2, entry('a', 0o100644, spanned - 63), second, head, covered);
}

/** A command that puts an index there. */
const putRaw = (index: Buffer, path: string): string =>
  `echo ${index.toString('base64')} | base64 -d > odd; mv odd ${path}`;
const put = (entries: readonly Buffer[], path: string): string => putRaw(sealed(entries.length, ...entries), path);

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

/** A git folder in the top of the workspace. */
const BARE = `mkdir objects refs; cp .git/HEAD HEAD; EVIL >> config; ${TREE_HERE};`;

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
  {
    name: 'a git folder around the workspace’s own, which is spoiled: without HEAD',
    given: REPOSITORY,
    script: `${BARE} rm .git/HEAD`,
    told: /HEAD is protected/,
  },
  {
    name: 'the same, without objects',
    given: REPOSITORY,
    script: `${BARE} mv .git/objects .git/o`,
    told: /HEAD is protected/,
  },
  {
    name: 'the same, with an odd HEAD',
    given: REPOSITORY,
    script: `${BARE} echo x > .git/HEAD`,
    told: /HEAD is protected/,
  },
  {
    name: 'a common folder where half a git folder is there',
    given: 'mkdir -p ws/refs; echo "ref: refs/heads/main" > ws/HEAD;',
    script: `mkdir -p evil/objects evil/refs; EVIL >> evil/config; printf '[core]\\nrepositoryformatversion = 1\\n[extensions]\\nworktreeConfig = true\\n' >> evil/config; printf '[core]\\nbare = false\\nworktree = .\\n' > config.worktree; echo evil > commondir`,
  },
  {
    name: 'another git folder for a working tree in the workspace',
    given: `${REPOSITORY} $G worktree add -q inside -b inside;`,
    script: `${FAKE} echo "gitdir: ../evil" > inside/.git`,
    status: 'ws/inside',
  },
  {
    name: 'a repository in the index of a working tree in the workspace',
    given: `${REPOSITORY} $G worktree add -q inside -b inside;`,
    script: `cd inside; ${NESTED} $G add sub`,
    status: 'ws/inside',
    told: /inside\/sub\/\.git was moved aside/,
  },
  {
    name: 'one in the index of a working tree elsewhere',
    given: TREE,
    script: `${NESTED} ${put([link('../ws/sub')], '.git/worktrees/tree/index')}`,
    status: 'tree',
    told: /index is protected/,
  },
  {
    name: 'the settings of a submodule of a working tree elsewhere',
    given: `${SUBMODULE} $G worktree add -q ../tree -b tree; cd ../tree; $G -c protocol.file.allow=always submodule --quiet update --init;`,
    script: 'EVIL >> .git/worktrees/tree/modules/sub/config',
    status: 'tree',
  },
  {
    name: 'one beside the repository whose index names it',
    given: EMBEDDED,
    script: `${NESTED.replaceAll('sub', 'nest')} ${put([link('../nest')], 'sub/.git/index')}`,
    told: /sub\/\.git\/index is protected/,
  },
  {
    name: 'one in the index of a repository that may be written to',
    given: '$G init -q other; mkdir ws;',
    script: `${NESTED} ${put([link('../ws/sub')], '../other/.git/index')}`,
    status: 'other',
    write: 'other',
    told: /other\/\.git\/index is protected/,
  },
  {
    name: 'one that is replaced in an index that is split',
    given: `${REPOSITORY} echo s > sub; $G add sub; $G commit -q -m s;`,
    script: `$G update-index --split-index; $G -c splitIndex.maxPercentChange=100 update-index --cacheinfo 160000,$($G rev-parse HEAD),sub; rm sub; ${NESTED}`,
    told: /index is protected/,
  },
  {
    name: 'one that is hidden behind a name that is longer than it looks',
    given: REPOSITORY,
    script: `${NESTED} ${putRaw(hidden(), '.git/index')}`,
    told: /index is protected/,
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
    const names = 'for i in $(seq 30); do printf "160000 $h\\tsub$i\\n"; done';
    const { notes } = await confinedSh(`h=$(${G} rev-parse HEAD); { ${names}; } | git update-index --index-info`, {
      workspace,
    });
    expect(notes?.join('\n')).toContain('.git/index is protected and was moved aside');
  });
});

describe.runIf(confinable)('what is moved aside is the command’s own', () => {
  it.each([
    [
      'what is closed to it',
      '$G init -q vendor; $G -C vendor commit -q --allow-empty -m v;',
      'vendor',
      'vendor/.git/config',
    ],
    ['a link', 'ln -s a .env;', '.env', '.env'],
    [
      'a link in a closed folder',
      'mkdir .vscode; ln -s ../a .vscode/settings.json;',
      '.vscode/settings.json',
      '.vscode/settings.json',
    ],
    ['a hook', 'ln -s ../../a .git/hooks/pre-commit;', '.git/hooks/pre-commit', '.git/hooks/pre-commit'],
    ['the git folder, where it is a link', 'mv .git real; ln -s real .git;', '.git/x', '.git'],
  ])('and not %s that its index names', async (_, given, name, kept) => {
    const { workspace } = await world(`${REPOSITORY} ${given}`);
    const before = await lstat(join(workspace, kept));
    await confinedSh(put([link(name)], '$(readlink -f .git)/index'), { workspace, policy: { protect: ['vendor'] } });
    expect((await lstat(join(workspace, kept))).ino).toBe(before.ino);
  });

  it('and no tool puts an index there that a command has made', async () => {
    const { workspace } = await world(REPOSITORY);
    const script = `G="${G}"; cp .git/index i; $G init -q sub; $G -C sub commit -q --allow-empty -m x; GIT_INDEX_FILE=$PWD/i $G add sub; rm .git/index`;
    await confinedSh(script, { workspace });
    await expect(call(contextOf(workspace), 'move', { from: 'i', to: '.git/index' })).rejects.toThrow(
      '.git/index is protected',
    );
  });

  it('and of what it makes by the thousands some is named, and it is ended', async () => {
    const workspace = await tempFolder();
    const { end, notes } = await confinedSh('for i in $(seq 100000); do : > .env.n$i; done', { workspace });
    expect(end.type).not.toBe('exited');
    expect(notes?.[0]).toContain('Sayso ended it');
    expect(notes?.length).toBeLessThan(20);
    expect((await readdir(workspace)).filter((name) => !name.includes('refused-by-sayso'))).toEqual([]);
  });
});

describe.runIf(confinable)('a command that runs beside another one', () => {
  it('cannot have it overlook what an index has come to name, though the file looks as before', async () => {
    const { workspace, marker } = await world(`${REPOSITORY} echo s > sub; $G add sub; $G commit -q -m s;`);
    // The page stays dirty: what is written to it later changes no time.
    const script = `import mmap, os, time
f = open('.git/index', 'r+b')
m = mmap.mmap(f.fileno(), 0)
at = m.find(b'sub\\0') - 62
m[at + 24] = m[at + 24]
open('mapped', 'w').close()
while not os.path.exists('go'): time.sleep(0.02)
m[at + 24:at + 28] = bytes([0, 0, 0xe0, 0])
`;
    await writeFile(join(workspace, 'map.py'), script);
    const mapping = confinedSh('python3 -I map.py', { workspace });
    await until(async () => (await readdir(workspace)).includes('mapped'), 'it was mapped');
    const beside = confinedSh(
      `G="${G}"; touch go; sleep 0.3; rm sub; $G init -q sub; $G -C sub commit -q --allow-empty -m x; printf '[core]\nfsmonitor = "touch ${marker}; false"\n' >> sub/.git/config`,
      { workspace },
    );
    await Promise.all([mapping, beside]);
    sh('$G status || true', workspace);
    expect(await lstat(marker).catch(() => null)).toBeNull();
  });
});

describe.runIf(confinable)('more repositories than can be looked at', () => {
  const many = 'for i in $(seq 300); do printf "160000 $h\\tsub$i\\n"; done';
  const given = `${REPOSITORY} h=$($G rev-parse HEAD); { ${many}; } | $G update-index --index-info;`;

  it('keep a command from starting, and a tool from writing, in words', async () => {
    const { workspace } = await world(given);
    const { end } = await confinedSh('true', { workspace });
    expect(end).toMatchObject({ type: 'not-started', message: expect.stringContaining('more than 200 repositories') });
    const writing = call(contextOf(workspace), 'write_file', { path: 'a', content: 'x' });
    await expect(writing).rejects.toThrow('more than 200 repositories');
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
