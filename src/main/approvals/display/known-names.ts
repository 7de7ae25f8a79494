import { skeleton } from './confusables';

/** Names that a lookalike would borrow: what people know by heart and would not read twice. */
const PROGRAMS =
  'apt apt-get awk bash brew bunx bzip2 cargo cat chmod chown cmake composer cp cron crontab curl dash date dd deno ' +
  'diff dig dnf docker dotnet echo env eval exec export find fish flatpak ftp gcc gem git go gpg gradle grep gunzip ' +
  'gzip head helm hg hostname htop iptables java javac journalctl kill killall kubectl ksh ldd less ln ls lsof make ' +
  'man mkdir mkfs mount mv mvn mysql nano nc ncat netcat nmap node nohup npm npx nslookup openssl osascript pacman ' +
  'passwd patch perl php ping pip pip3 pipx pkill pnpm podman powershell printf ps psql pwd pwsh python python3 rake ' +
  'rclone rg rm rmdir rsync ruby rustc sayso scp screen sed sftp sh shred shutdown sleep snap socat sort source sqlite3 ' +
  'ssh ssh-add ssh-keygen stat strace su sudo svn systemctl tail tar tcpdump tee telnet terraform test tmux top touch ' +
  'truncate umount uname uniq unlink unzip useradd usermod uv uvx vim visudo wc wget which who whoami xargs xxd yarn ' +
  'yes zip zsh';

const FLAGS =
  '--all --amend --branch --cached --clean --config --confirm --data --delete --depth --dir --directory --dry-run ' +
  '--env --exclude --exec --file --filter --force --force-with-lease --format --global --hard --header --help --host ' +
  '--include --input --insecure --interactive --key --limit --message --mirror --mode --name --no-verify --output ' +
  '--password --path --port --preserve-root --no-preserve-root --privileged --prune --purge --quiet --read-only ' +
  '--recursive --remote --remove --root --rm --save --server --system --tags --token --type --upload-file --url --user ' +
  '--username --verbose --version --volume --yes';

/** Names by skeleton (see confusables.ts). */
export type KnownNames = ReadonlyMap<string, string>;

function bySkeleton(names: readonly string[]): Map<string, string> {
  return new Map(names.map((name) => [skeleton(name), name]));
}

/** The programs and long flags that everybody knows. */
export const DEFAULT_KNOWN_NAMES: KnownNames = bySkeleton([...PROGRAMS.split(' '), ...FLAGS.split(' ')]);

/**
 * The default names and these: an application's commands, and its flags with their dashes (`--name`). To be made once
 * for a tool, not once for a text.
 */
export function knownNames(names: readonly string[]): KnownNames {
  return new Map([...DEFAULT_KNOWN_NAMES, ...bySkeleton(names)]);
}

/**
 * The known name behind a `lookalike:` warning, which carries the skeleton (`rrn` for `rm`); null for other warnings.
 */
export function nameBehind(warning: string, known: KnownNames = DEFAULT_KNOWN_NAMES): string | null {
  const prefix = 'lookalike:';
  return warning.startsWith(prefix) ? (known.get(warning.slice(prefix.length)) ?? null) : null;
}
