import type { LabelId } from './risk-label';

const BY_LABEL: readonly (readonly [LabelId, string])[] = [
  [
    'network',
    'curl wget ssh scp sftp rsync nc ncat netcat telnet ftp tftp nmap ping ping6 dig host nslookup whois traceroute ' +
      'socat http https xh aria2c lynx w3m links gh glab hub aws gcloud az kubectl helm gsutil rclone s3cmd mosh ' +
      'openssl ssh-copy-id autossh mail sendmail ngrok cloudflared tailscale twine',
  ],
  ['deletes', 'rm rmdir unlink shred srm truncate trash dropdb wipefs blkdiscard'],
  [
    'device',
    'mkfs mkswap fdisk sfdisk cfdisk gdisk sgdisk parted wipefs blkdiscard hdparm cryptsetup fsck grub-install',
  ],
  ['privilege', 'sudo doas su pkexec run0 runuser sg newgrp machinectl'],
  ['power', 'shutdown reboot halt poweroff telinit'],
  [
    'permissions',
    'chmod chown chgrp chattr setfacl setcap xattr icacls takeown usermod useradd userdel groupadd passwd',
  ],
  ['kills', 'kill pkill killall xkill skill taskkill killall5'],
  [
    'background',
    'nohup setsid disown daemonize daemon start-stop-daemon crontab at batch systemd-run screen pm2 forever',
  ],
  [
    'writes',
    'tee cp mv install ln touch mkdir mkfifo mknod patch unzip gzip gunzip bzip2 bunzip2 xz unxz zip rsync split ' +
      'csplit truncate ed ex sponge rename link',
  ],
  ['installs', 'npx bunx uvx pipx dpkg rpm easy_install installer dnf-automatic corepack'],
  ['network', 'npx bunx uvx pipx'],
  ['credentials', 'security ssh-add pass secret-tool gpg kwallet-query'],
];

const LABELS = new Map<string, LabelId[]>();
for (const [label, names] of BY_LABEL) {
  for (const name of names.split(' ')) LABELS.set(name, [...(LABELS.get(name) ?? []), label]);
}

/** What a program does whatever its arguments, by its plain name. */
export function labelsOfProgram(program: string): readonly LabelId[] {
  if (program.startsWith('mkfs.') || program.startsWith('newfs')) return ['device'];
  return LABELS.get(program) ?? [];
}

const words = (text: string) => new Set(text.split(' '));

/** Programs whose plain operands are files that they write or remove. */
export const CHANGES_OPERANDS = words('rm rmdir unlink shred srm truncate tee touch mkdir mkfifo chmod chown chgrp ln');

/** Programs whose last operand is a file or folder that they write to. */
export const CHANGES_LAST = words('cp mv install rsync link rename');

/** Package managers, and the words after which they install or update something. */
const MANAGERS = words(
  'apt apt-get aptitude dnf yum zypper apk brew port snap flatpak npm pnpm yarn bun pip pip3 uv poetry pdm conda ' +
    'mamba gem cargo go bundle composer dotnet nix nix-env choco winget scoop deno rustup nvm asdf mise luarocks cpan cpanm',
);
const INSTALLS = words('install update upgrade dist-upgrade full-upgrade reinstall self-update restore -i -iA');
/** These count only where the manager's verb stands: further on they may be the name of a package. */
const INSTALLS_FIRST = words('i add ci get dlx exec x create init require sync bootstrap');
const GROUPS = words('global pip tool self profile package component toolchain');
const REMOVES = words('remove uninstall purge autoremove rm un prune clean');

/** What a package manager does with these arguments; nothing for what is no package manager. */
export function labelsOfPackages(program: string, args: readonly string[]): readonly LabelId[] {
  if (program === 'pacman' || program === 'yay' || program === 'paru') {
    return args.some((arg) => /^-[A-Za-z]*[SU]/.test(arg)) ? ['installs', 'network'] : [];
  }
  if (program === 'cpan' || program === 'cpanm') return ['installs', 'network'];
  if (!MANAGERS.has(program)) return [];
  const grouped = args.filter((arg) => !arg.startsWith('-') || INSTALLS.has(arg));
  // `yarn global add`, `uv pip install`, `dotnet tool install`
  const verbs = (GROUPS.has(grouped[0] ?? '') ? grouped.slice(1) : grouped).slice(0, 3);
  const labels: LabelId[] = [];
  // yarn, bundle and composer install when they are told nothing.
  const bare = verbs.length === 0 && (program === 'yarn' || program === 'bundle');
  const [first = ''] = verbs;
  if (bare || INSTALLS_FIRST.has(first) || verbs.some((verb) => INSTALLS.has(verb))) labels.push('installs', 'network');
  if (REMOVES.has(first)) labels.push('deletes');
  if (first === 'publish' || first === 'login' || first === 'audit') labels.push('network');
  return labels;
}
