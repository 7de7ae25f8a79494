import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxTier } from '@shared/states';
import { describe, expect, it } from 'vitest';
import { chooseSandbox } from '../../../src/main/sandbox/choose-sandbox';
import { confine, DEFAULT_POLICY, type SandboxPolicy } from '../../../src/main/sandbox/policy';
import { bwrapProblem, namespaceRemedy } from '../../../src/main/sandbox/remedies';
import { requirementProblem } from '../../../src/main/sandbox/requirement';
import { seatbeltProfile } from '../../../src/main/sandbox/seatbelt-tier';
import { bundle } from './bundle';
import { confinable, confined } from './confined';
import { tempFolder } from './helpers';

async function fakeBwrap(script: string, version = '0.8.0'): Promise<string> {
  const path = join(await tempFolder(), 'bwrap');
  await writeFile(path, `#!/bin/sh\n[ "$1" = --version ] && { echo "bubblewrap ${version}"; exit; }\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

const choose = async (bwrapPlaces?: string[]) =>
  (await chooseSandbox({ instanceId: 'choice', dataFolder: await tempFolder(), ...(bwrapPlaces && { bwrapPlaces }) }))
    .tier;

it.each([process.platform, 'win32'] as const)(
  'whichever tier it is, the data of the app is kept from every tool (%s)',
  async (platform) => {
    const dataFolder = await tempFolder();
    const sandbox = await chooseSandbox({
      instanceId: 'choice',
      dataFolder,
      platform,
    });
    expect(sandbox.hidden).toEqual([dataFolder]);
    expect(confine(sandbox, DEFAULT_POLICY, { require: 'none', network: false, accept: [] }).hidden).toEqual([
      dataFolder,
    ]);
  },
);

describe.runIf(confinable)('the chosen tier', () => {
  it('is the first where everything works', async () => {
    expect(await choose()).toEqual({
      name: 'bubblewrap-seccomp',
      label: 'bubblewrap + seccomp',
      files: 'enforced',
      network: 'enforced',
      processes: 'enforced',
      privileges: 'enforced',
      notes: [],
    });
  });

  it('falls without bubblewrap, and says what to install', async () => {
    const tier = await choose([]);
    expect(tier).toMatchObject({ name: 'unshare', files: 'not-enforced' });
    expect(tier.notes?.join(' ')).toMatch(/not installed.*apt install bubblewrap/);
  });

  it('falls with one that fails, and gives its words', async () => {
    const broken = await fakeBwrap('echo "bwrap: No permissions to create new namespace" >&2; exit 1');
    const tier = await choose([broken]);
    expect(tier.name).toBe('unshare');
    expect(tier.notes?.join(' ')).toContain('No permissions to create new namespace');
  });

  it('falls by one step where only the filter is refused', async () => {
    // Reads the options, and hands them on where they name no filter.
    const perl = `use POSIX; $^F = 9999; my $fd = $ARGV[1]; open(F, "<&=", $fd); local $/; my $all = <F>;
if ($all =~ /--seccomp/) { print "bwrap: prctl(PR_SET_SECCOMP): Invalid argument\\n"; exit 1 }
open(T, "+>", "/tmp/sayso-$$"); unlink "/tmp/sayso-$$";
syswrite T, $all; sysseek T, 0, 0; POSIX::dup2(fileno(T), $fd); exec "/usr/bin/bwrap", @ARGV`;
    const choosy = await fakeBwrap(`exec perl -e '${perl}' -- "$@"`);
    const tier = await choose([choosy]);
    expect(tier.notes?.join(' ')).toContain('PR_SET_SECCOMP');
    expect(tier).toMatchObject({ name: 'bubblewrap', files: 'enforced' });
  });

  it('says what an old one cannot limit', async () => {
    const old = await fakeBwrap('exec /usr/bin/bwrap "$@"', '0.6.2');
    const tier = await choose([old]);
    expect(tier).toMatchObject({ name: 'bubblewrap-seccomp', files: 'enforced' });
    expect(tier.notes).toEqual([expect.stringMatching(/older than 0\.7.*\/dev\/shm.*Install a newer/)]);
  });

  it('does not believe one that confines nothing', async () => {
    const lazy = await fakeBwrap('shift 3; exec "$@"');
    const tier = await choose([lazy]);
    expect(tier).not.toMatchObject({ files: 'enforced' });
  });
});

describe.runIf(confinable)('where it is really refused', () => {
  const required = (tier: SandboxTier) =>
    requirementProblem(tier, { require: 'confined', network: false, accept: [] })?.hint ?? '';

  it('user namespaces by a setting: both tiers say so, and what to set, once', async () => {
    const [folder, data] = [await tempFolder(), await tempFolder()];
    const script = await bundle('choose.ts', folder);
    // The setting holds below the namespace in which it is made, and nowhere else.
    const refusing = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
    const words = ['--user', '--map-root-user', 'sh', '-c', refusing, 'sh', process.execPath, script, data];
    const tier = JSON.parse(execFileSync('unshare', words).toString()) as SandboxTier;
    expect(tier).toMatchObject({ name: 'process', files: 'not-enforced', privileges: 'not-enforced' });
    expect(tier.notes).toEqual([
      expect.stringMatching(
        /^bubblewrap does not work here: bwrap: .*namespace.*[^.]\. .*set user\.max_user_namespaces/,
      ),
      expect.stringMatching(/^unshare does not work here: unshare: unshare failed: No space left/),
    ]);
    expect(required(tier)).toBe(tier.notes?.join(' '));
  }, 60_000);

  it('user namespaces by the kernel, as AppArmor does: both tiers say so, and how to see more', async () => {
    const workspace = await tempFolder();
    await bundle('choose.ts', workspace);
    await mkdir(join(workspace, 'data'));
    // The filter of the first tier answers what AppArmor does.
    const { output } = await confined(['node', 'choose.mjs', join(workspace, 'data')], { workspace });
    const tier = JSON.parse(output) as SandboxTier;
    expect(tier).toMatchObject({ name: 'process', files: 'not-enforced', privileges: 'not-enforced' });
    expect(tier.notes).toEqual([
      expect.stringMatching(
        /^bubblewrap does not work here: bwrap: No permissions to create .*namespace.*[^.]\. Run `bwrap /,
      ),
      expect.stringMatching(
        /^unshare does not work here: unshare: unshare failed: Operation not permitted.* Run `unshare /,
      ),
    ]);
    expect(required(tier)).toBe(tier.notes?.join(' '));
  }, 60_000);

  it('neither is installed: what to install for each', async () => {
    const dataFolder = await tempFolder();
    const nothing = { bwrapPlaces: [], unshareTools: [join(dataFolder, 'unshare')] };
    const { tier } = await chooseSandbox({ instanceId: 'choice', dataFolder, ...nothing });
    expect(tier.name).toBe('process');
    expect(required(tier)).toMatch(
      /bubblewrap is not installed. Install .* unshare and setpriv are not installed. Install /,
    );
  });
});

describe('elsewhere', () => {
  it('is process only, on Windows', async () => {
    const { tier } = await chooseSandbox({ instanceId: 'x', dataFolder: await tempFolder(), platform: 'win32' });
    expect(tier).toMatchObject({ name: 'process', files: 'not-enforced', processes: 'not-enforced' });
  });
});

describe('the remedy', () => {
  it.each([
    ['kernel/apparmor_restrict_unprivileged_userns', '1', 'AppArmor'],
    ['kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone=1'],
    ['user/max_user_namespaces', '0', 'user.max_user_namespaces'],
  ])('for %s = %s names %s', async (path, value, words) => {
    const read = async (asked: string): Promise<string> => (asked.endsWith(path) ? value : '');
    expect(await namespaceRemedy(read)).toContain(words);
  });

  it('is in any case a way to see more', async () => {
    expect(await bwrapProblem('it broke.')).toMatch(/^bubblewrap does not work here: it broke\. /);
  });
});

describe('the profile of macOS', () => {
  const profileFor = (policy: SandboxPolicy): string =>
    seatbeltProfile({
      workspace: '/w "x"',
      home: '/Users/me',
      temporary: '/private/tmp',
      openings: { read: [], write: [] },
      closed: ['/w "x"/kept'],
      policy,
      hidden: ['/Users/me/data'],
    });

  it('opens the network only where all of it is open', () => {
    const list = { hosts: [{ host: 'own.example', port: null }], privateHosts: [] };
    expect(profileFor({ ...DEFAULT_POLICY, network: true })).toContain('(allow network*)');
    expect(profileFor({ ...DEFAULT_POLICY, network: list })).not.toContain('network');
  });

  it('denies by default, quotes what it names, and ends with what is hidden', () => {
    const profile = profileFor(DEFAULT_POLICY);
    expect(profile).toMatch(/^\(version 1\)\n\(deny default\)\n/);
    expect(profile).toContain('(subpath "/w \\"x\\"/kept")');
    expect(profile).not.toContain('network');
    expect(profile.split('\n').at(-1)).toBe('(deny file-read* file-write* (subpath "/Users/me/data"))');
  });
});
