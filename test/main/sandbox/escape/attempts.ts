import type { AttemptName } from '../../../../src/main/sandbox/findings';
import type { SandboxLimits } from '../../../../src/main/sandbox/policy';
import { DENIED, JUDGED } from '../../../../src/main/sandbox/seccomp/syscalls';

/**
 * One way to try to get out. The script prints TRIED when it gets to it and ESCAPED when it is out. It is given OUT (a
 * folder of the user's outside of the workspace: file, secret, agent.sock), DATA (the app's data folder), PORT (a server
 * of this machine), ABSTRACT (an abstract socket), APP (the pid of the app) and STAY (the seconds that a process sleeps for
 * which is to outlive its command: it counts as out while it is there).
 */
export interface Attempt {
  readonly name: string;
  /** The attempt of the probe that tells whether this one succeeds. */
  readonly tells?: AttemptName;
  /** It is tried with a list of hosts: `listed.test` and `*.listed.test` at PORT, which stand for this machine. */
  readonly listed?: true;
  /** Its target is of the test's own making, and it may be tried where nothing confines it: there it has to get out. */
  readonly real?: true;
  /** Smaller than what a command may use up elsewhere. */
  readonly limits?: Partial<SandboxLimits>;
  /** Its workspace is a small disk of its own. */
  readonly disk?: true;
  readonly script: string;
}

const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
type Call = keyof typeof DENIED | keyof typeof JUDGED;
const number = (call: Call): number => ({ ...DENIED, ...JUDGED })[call][arch] ?? -1;

/** Perl's syscall takes no constants, and a script that ends at that tries nothing; a list of its own it takes. */
const call = (name: Call, args: string): string => `my @args = (${args}); my $r = syscall(${number(name)}, @args)`;

/** Makes the system call; out if it does not fail, or fails for another reason than that it is forbidden, or was not made. */
const forbidden = (name: Call, args: string, refusal: 'EPERM' | 'ENOSYS' = 'EPERM'): string =>
  `perl -MErrno=${refusal} -e 'my $b = "\\0" x 256; ${call(name, args)}; print "r=$r $!\\n"; print "ESCAPED\\n" unless $r == -1 && $! == ${refusal}' || echo "ESCAPED: it was not tried"`;

/** Connects; the address is an expression of Perl's Socket. */
const connect = (family: string, address: string): string =>
  `perl -MSocket -e 'alarm 3; my $s; socket($s, ${family}, SOCK_STREAM, 0) or die "$!\\n"; connect($s, ${address}) or die "$!\\n"; print "ESCAPED\\n"'`;

const out = (condition: string): string => `${condition} && echo ESCAPED`;

const FILES: readonly Attempt[] = [
  { name: 'write to a file outside', real: true, tells: 'write-outside', script: out('echo x >> "$OUT/file"') },
  {
    name: 'make a file outside',
    real: true,
    tells: 'write-outside',
    script: out('touch "$OUT/new" && [ -e "$OUT/file" ]'),
  },
  { name: 'write into /usr', script: out('touch "/usr/sayso-escape-$$" && rm "/usr/sayso-escape-$$"') },
  { name: 'write into /etc', script: out('touch "/etc/sayso-escape-$$" && rm "/etc/sayso-escape-$$"') },
  {
    name: 'remount the system writable',
    script: `mount -o remount,bind,rw /usr; mount -o remount,rw /usr; ${out('touch "/usr/sayso-escape-$$"')}`,
  },
  { name: 'mount something', script: out('mount -t tmpfs none /tmp') },
  { name: 'the mount system call', script: forbidden('mount', '"none", "/tmp", "tmpfs", 0, 0') },
  { name: 'the new mount calls: fsopen', script: forbidden('fsopen', '"tmpfs", 0') },
  { name: 'the new mount calls: open_tree', script: forbidden('open_tree', '-100, "/", 1') },
  { name: 'the new mount calls: mount_setattr', script: forbidden('mount_setattr', '-100, "/", 0, $b, 32') },
  { name: 'the new mount calls: move_mount', script: forbidden('move_mount', '-1, "", -1, "", 0') },
  { name: 'unmount what closes /etc/shadow', script: out('umount /etc/shadow') },
  { name: 'chroot', script: forbidden('chroot', '"/"') },
  { name: 'pivot_root', script: forbidden('pivot_root', '"/", "/"') },
  { name: 'open a file by its handle', script: forbidden('open_by_handle_at', '0, $b, 0') },
  { name: 'read a secret of the user', real: true, tells: 'read-secret', script: out('grep -q hidden "$OUT/secret"') },
  { name: 'read ~/.ssh', real: true, script: out('cat "$HOME/.ssh/id_ed25519"') },
  {
    name: 'find the secret anywhere',
    real: true,
    script: out('grep -rqs hidden-away "$HOME" /home /root /var /tmp /run /mnt /srv'),
  },
  { name: 'read /etc/shadow', script: out('[ "$(head -c 1 /etc/shadow | wc -c)" = 1 ]') },
  { name: 'read /etc/gshadow', script: out('[ "$(head -c 1 /etc/gshadow | wc -c)" = 1 ]') },
  { name: 'read the data of the app', real: true, script: out('ls "$DATA"/sayso.db') },
  { name: 'write into the data of the app', real: true, script: out('touch "$DATA/x"') },
  { name: 'open a disk', script: out('head -c 1 /dev/vda || head -c 1 /dev/sda || head -c 1 /dev/nvme0n1') },
  { name: 'make a device', script: out('mknod disk b 254 0 || mknod memory c 1 1') },
  { name: 'read the memory of the machine', script: out('head -c 1 /dev/mem || head -c 1 /proc/kcore') },
  { name: 'write through a link', real: true, script: `ln -s "$OUT/file" link; ${out('echo x >> link')}` },
  { name: 'write through a linked folder', real: true, script: `ln -s "$OUT" folder; ${out('touch folder/y')}` },
  { name: 'make a hard link to outside', real: true, script: out('ln "$OUT/file" hard') },
  { name: 'make a hard link to the system', script: out('ln /usr/bin/env hard && echo x >> hard') },
  { name: 'rename out of the workspace', real: true, script: `echo x > mine; ${out('mv mine "$OUT/file"')}` },
  { name: 'go up with ..', real: true, script: out('echo x >> ../../../../../../../..$OUT/file') },
  { name: 'go through the root of another process', real: true, script: out('echo x >> /proc/$PPID/root$OUT/file') },
  { name: 'go through the working folder of the app', real: true, script: out('ls /proc/$APP/cwd/') },
];

const KERNEL: readonly Attempt[] = [
  {
    name: 'set the program for core dumps',
    tells: 'change-kernel',
    script: out('( : >> /proc/sys/kernel/core_pattern )'),
  },
  {
    name: 'set any setting of the kernel',
    script: out('( : >> /proc/sys/kernel/panic || : >> /proc/sys/vm/overcommit_memory )'),
  },
  { name: 'press the magic key', script: out('( : >> /proc/sysrq-trigger )') },
  { name: 'register a program for a file type', script: out('( : >> /proc/sys/fs/binfmt_misc/register )') },
  { name: 'release a control group', script: out('( : >> /sys/fs/cgroup/release_agent || mkdir /sys/fs/cgroup/x )') },
  { name: 'read the log of the kernel', script: out('dmesg | grep -q .') },
  { name: 'load a module', script: forbidden('init_module', '$b, 1, $b') },
  { name: 'bpf', script: forbidden('bpf', '0, $b, 128') },
  { name: 'io_uring', script: forbidden('io_uring_setup', '8, $b') },
  { name: 'perf events', script: forbidden('perf_event_open', '$b, 0, -1, -1, 0') },
  { name: 'userfaultfd', script: forbidden('userfaultfd', '0') },
  { name: 'the keyring', script: forbidden('keyctl', '0, -3, 0') },
  { name: 'another keyring', script: forbidden('add_key', '"user", "x", "y", 1, -3') },
];

const NETWORK: readonly Attempt[] = [
  {
    name: 'a server of this machine',
    real: true,
    tells: 'loopback',
    script: connect('PF_INET', 'pack_sockaddr_in($ENV{PORT}, INADDR_LOOPBACK)'),
  },
  { name: 'an address elsewhere', script: connect('PF_INET', 'pack_sockaddr_in(53, inet_aton("192.0.2.1"))') },
  { name: 'any interface but lo', script: out('tail -n +3 /proc/net/dev | grep -qv "^ *lo:"') },
  {
    name: 'a socket such as that of ssh-agent',
    real: true,
    tells: 'host-socket',
    script: connect('PF_UNIX', 'pack_sockaddr_un("$ENV{OUT}/agent.sock")'),
  },
  { name: 'the socket of docker', real: true, script: connect('PF_UNIX', 'pack_sockaddr_un("/run/docker.sock")') },
  {
    name: 'an abstract socket',
    real: true,
    tells: 'abstract-socket',
    script: connect('PF_UNIX', 'pack_sockaddr_un("\\0$ENV{ABSTRACT}")'),
  },
  { name: 'vsock', tells: 'vsock', script: `perl -e 'my $s; socket($s, 40, 1, 0) or die "$!\\n"; print "ESCAPED\\n"'` },
  { name: 'a raw socket', script: `perl -e 'my $s; socket($s, 17, 3, 0) or die "$!\\n"; print "ESCAPED\\n"'` },
];

const PROCESSES: readonly Attempt[] = [
  { name: 'see the app', real: true, script: out('grep -q run-attempts /proc/$APP/cmdline') },
  {
    name: 'read the environment of any process',
    real: true,
    script: out('grep -qs hidden-variable /proc/[0-9]*/environ'),
  },
  { name: 'see more than its own processes', real: true, script: out('[ "$(ls -d /proc/[0-9]* | wc -l)" -gt 12 ]') },
  { name: 'signal the app', real: true, script: out('kill -0 "$APP" && grep -q run-attempts "/proc/$APP/cmdline"') },
  {
    name: 'outlive the command',
    tells: 'outlive',
    real: true,
    script:
      'for i in 1 2 3 4 5; do ( setsid sh -c \'trap "" TERM HUP INT; env -i setsid sleep $STAY </dev/null >/dev/null 2>&1 &\' & ); done; sleep 0.1',
  },
  { name: 'trace the app', script: forbidden('ptrace', '16, $ENV{APP} + 0, 0, 0') },
  { name: 'trace its own child', script: forbidden('ptrace', '0, 0, 0, 0') },
  {
    name: 'read the memory of another process',
    script: forbidden('process_vm_readv', '$ENV{APP} + 0, $b, 1, $b, 1, 0'),
  },
  {
    name: 'write the memory of another process',
    script: forbidden('process_vm_writev', '$ENV{APP} + 0, $b, 1, $b, 1, 0'),
  },
  { name: 'take a descriptor of another process', script: forbidden('pidfd_getfd', '0, 0, 0') },
  { name: 'type into the terminal', script: forbidden('ioctl', '0, 0x5412, $b') },
  { name: 'type into the terminal, with high bits set', script: forbidden('ioctl', '0, 0x700005412, $b') },
  { name: 'select on the console', script: forbidden('ioctl', '0, 0x541c, $b') },
  { name: 'open the terminal', script: out('( : < /dev/tty )') },
  { name: 'have descriptors of the app', script: out('ls -l /proc/self/fd | grep -E "(socket|anon_inode|sayso.db)"') },
];

const PRIVILEGES: readonly Attempt[] = [
  {
    name: 'have capabilities',
    tells: 'gain-privileges',
    script: out('! grep -q "^CapEff:.0000000000000000$" /proc/self/status'),
  },
  {
    name: 'be allowed new privileges',
    tells: 'gain-privileges',
    script: out('! grep -q "^NoNewPrivs:.1$" /proc/self/status'),
  },
  { name: 'a user namespace', tells: 'gain-privileges', script: out('unshare --user --map-root-user true') },
  { name: 'the unshare system call', script: forbidden('unshare', '0x10000000') },
  { name: 'clone into a user namespace', script: forbidden('clone', '0x10000000 | 17, 0, 0, 0, 0') },
  { name: 'clone into a mount namespace', script: forbidden('clone', '0x00020000 | 17, 0, 0, 0, 0') },
  { name: 'clone3', script: forbidden('clone3', '$b, 88', 'ENOSYS') },
  { name: 'join a namespace', script: forbidden('setns', '0, 0') },
  { name: 'enter the namespaces of the first process', script: out('nsenter --target 1 --all true') },
  { name: 'become another user', script: out("perl -e '$> = 12345; $< = 12345; exit($> != 12345)'") },
  { name: 'su', script: out('su -c true nobody') },
  {
    name: 'a setuid program in the workspace',
    real: true,
    script: out('[ "$(./setuid-id -u)" != "$(id -u)" ]'),
  },
  { name: 'change the owner of a file', script: `echo x > owned; ${out('chown 12345 owned')}` },
];

const PROTECTED: readonly Attempt[] = [
  { name: 'write a hook', real: true, script: out('echo x >> .git/hooks/pre-commit') },
  { name: 'make a hook', real: true, script: out('echo x > .git/hooks/post-checkout') },
  { name: 'make a hook executable', real: true, script: out('chmod 777 .git/hooks/pre-commit') },
  { name: 'remove a hook', real: true, script: out('rm .git/hooks/pre-commit') },
  { name: 'set a hook folder', real: true, script: out('git config core.hooksPath /tmp') },
  { name: 'write the configuration of git', real: true, script: out('echo x >> .git/config') },
  {
    name: 'replace the configuration of git',
    real: true,
    script: `echo x > config; ${out('mv -f config .git/config')}`,
  },
  { name: 'remove the configuration of git', real: true, script: out('rm -f .git/config') },
  { name: 'rename the hooks away', real: true, script: out('mv .git/hooks .git/hooks2') },
  { name: 'rename .git away', real: true, script: out('mv .git .git2') },
  {
    name: 'exchange .git',
    real: true,
    script: `mkdir other; ${out(`perl -e 'my @names = (".git", "other"); exit(syscall(${arch === 'x64' ? 316 : 276}, -100, $names[0], -100, $names[1], 2) != 0)'`)}`,
  },
  { name: 'link to a hook', real: true, script: `ln -s .git/hooks/pre-commit hook; ${out('echo x >> hook')}` },
  { name: 'link to the hooks', real: true, script: `ln -s .git/hooks hooks; ${out('echo x > hooks/pre-push')}` },
  { name: 'a hard link to the configuration', real: true, script: out('ln .git/config same && echo x >> same') },
  { name: 'write .env', real: true, script: out('echo x >> .env') },
  { name: 'remove .env', real: true, script: out('rm -f .env') },
  { name: 'replace .env by a link', real: true, script: out('ln -sf /tmp/x .env') },
  { name: 'write a path that the agent file protects', real: true, script: out('echo x >> deep/down/kept') },
  { name: 'rename a folder above it', real: true, script: out('mv deep deep2') },
  { name: 'rename the folder right above it', real: true, script: out('mv deep/down deep/down2') },
  // What is not there yet: told by what is left when the command has ended.
  { name: 'make .envrc', real: true, script: 'echo x > .envrc' },
  { name: 'make .mcp.json as a link', real: true, script: 'ln -s deep/down/kept .mcp.json' },
  {
    name: 'rename something to .vscode',
    real: true,
    script: 'mkdir -p stage && echo x > stage/tasks.json && mv stage .vscode',
  },
  {
    name: 'make .env.local, and close the folder',
    real: true,
    script: 'echo x > .env.local; mkdir .idea; chmod 500 .',
  },
  {
    name: 'make .env.production where the names for what is refused are taken',
    real: true,
    script:
      'chmod 700 .; for i in $(seq 1200); do : > .env.production.refused-by-sayso-$i; done; echo x > .env.production',
  },
  { name: 'make .env.staging, and shut the folder', script: 'echo x > .env.staging; chmod 0 .' },
  { name: 'shut the folder of the hooks, for the next command', script: 'chmod 0 .git deep' },
  {
    name: 'write a hook, a setting and a protected path in folders that were shut',
    script:
      'chmod 700 .git deep; echo x >> .git/config && echo ESCAPED; echo x > .git/hooks/post-merge && echo ESCAPED; echo x >> deep/down/kept && echo ESCAPED',
  },
  { name: 'make .envrc again and again', script: 'while :; do echo x > .envrc; done 2> /dev/null' },
];

const MIB = 1024 ** 2;

/** Writes files far below the limit of one; out if all of them fit. */
const fill = (folder: string, files: number): string =>
  `fill() { for i in $(seq ${files}); do head -c 100000000 /dev/zero > ${folder}/sayso-fill-$$-$i || return 1; done; }; fill && echo ESCAPED; rm -f ${folder}/sayso-fill-$$-*`;

const RESOURCES: readonly Attempt[] = [
  {
    name: 'start more processes than it may',
    real: true,
    limits: { processes: 100 },
    script: `perl -e 'for (1 .. 400) { my $p = fork; die "$!\\n" unless defined $p; if (!$p) { sleep 60; exit } } print "ESCAPED\\n"'`,
  },
  {
    name: 'start them in sessions of their own, without a parent',
    real: true,
    limits: { processes: 100 },
    script: `for i in $(seq 300); do ( setsid sleep 60 & ) || exit; done; [ "$(ls -d /proc/[0-9]* | wc -l)" -gt 200 ] && echo ESCAPED`,
  },
  {
    name: 'a fork bomb',
    limits: { processes: 100 },
    script: 'b() { b | b & }; b; sleep 2; [ "$(ls -d /proc/[0-9]* | wc -l)" -gt 120 ] && echo ESCAPED',
  },
  {
    name: 'a memory bomb',
    real: true,
    limits: { memoryBytes: 256 * MIB },
    script: `perl -e 'my ($n, @all) = (16 << 20); push @all, "x" x $n for 1 .. 40; print "ESCAPED\\n"'`,
  },
  {
    name: 'a memory bomb of many processes',
    real: true,
    limits: { memoryBytes: 256 * MIB },
    script: `perl -e 'my $n = 64 << 20; for (1 .. 8) { next if fork; my $x = "x" x $n; open my $f, ">>", "held"; syswrite $f, "x"; sleep 60; exit } select undef, undef, undef, 0.05 until -s "held" == 8; sleep 2; print "ESCAPED\\n"'`,
  },
  { name: 'fill the temporary folder', real: true, script: fill('/tmp', 12) },
  { name: 'fill the home', real: true, script: fill('"$HOME"', 12) },
  { name: 'fill the shared memory', real: true, script: fill('/dev/shm', 3) },
  {
    name: 'fill the disk of the workspace',
    real: true,
    disk: true,
    script: 'rm -f f* big; i=0; while head -c 400000 /dev/zero > f$i; do i=$((i+1)); done; echo ESCAPED',
  },
  {
    name: 'reserve the disk of the workspace',
    real: true,
    disk: true,
    script: `rm -f f*; perl -e 'open my $f, ">", "big"; my $r = syscall(${number('fallocate')}, fileno($f), 0, 0, 1000 << 20); print "r=$r $!\\n"; print "ESCAPED\\n" if $r == 0'`,
  },
  {
    name: 'make too large a file',
    real: true,
    limits: { fileBytes: MIB },
    script: out('head -c 3000000 /dev/zero > large; [ "$(wc -c < large)" -gt 2000000 ]'),
  },
  {
    name: 'open too many files',
    real: true,
    limits: { openFiles: 100 },
    script: `perl -e 'my @all; for (1 .. 200) { open my $f, "<", "/dev/null" or die "$!\\n"; push @all, $f } print "ESCAPED\\n"'`,
  },
  {
    name: 'use too much processor time',
    real: true,
    limits: { cpuSeconds: 1 },
    script: `perl -e '$SIG{XCPU} = "IGNORE"; do { $_++ for 1 .. 1e6 } while (times)[0] < 8; print "ESCAPED\\n"'`,
  },
];

/** Sends bytes to the proxy; out if what comes back is of the server of this machine, or a tunnel to it. */
const throughProxy = (...lines: string[]): string =>
  `perl -MSocket -e 'alarm 8; my $s; socket($s, PF_INET, SOCK_STREAM, 0) && connect($s, pack_sockaddr_in(3128, INADDR_LOOPBACK)) or die "$!\\n"; my $p = $ENV{PORT}; syswrite $s, ${lines.map((line) => `"${line}\\r\\n"`).join('.')}."\\r\\n"; my ($all, $b) = (""); $all .= $b while sysread $s, $b, 4096; print "answered ", substr($all, 0, 12), "\\n"; print "ESCAPED\\n" if $all =~ /LEAK|^HTTP.1.. 200/m'`;

const TUNNELS = [
  '127.0.0.1:$p',
  'localhost:$p',
  '[::1]:$p',
  '[::ffff:127.0.0.1]:$p',
  '[::ffff:7f00:1]:$p',
  '0.0.0.0:$p',
  '127.1:$p',
  '0x7f.1:$p',
  '2130706433:$p',
  '017700000001:$p',
  '127.0.0.1.:$p',
  'listed.test:$p',
  'a.listed.test:$p',
  'listed.test.:$p',
  'listed.test@127.0.0.1:$p',
  'listed.test:$p\\@127.0.0.1:$p',
  'listed.test%00.127.0.0.1:$p',
  '169.254.169.254:80',
];

const PROXY: readonly Attempt[] = [
  ...NETWORK.map((attempt): Attempt => ({ ...attempt, name: `${attempt.name}, past the proxy`, listed: true })).map(
    ({ tells: _, real: __, ...attempt }) => attempt,
  ),
  ...TUNNELS.map((to): Attempt => {
    return {
      name: `a tunnel to ${to}`,
      listed: true,
      script: throughProxy(`CONNECT ${to.replace('@', '\\@')} HTTP/1.0`),
    };
  }),
  ...(
    [
      ['a page of this machine', ['GET http://127.0.0.1:$p/ HTTP/1.0']],
      ['a page of a name that stands for it', ['GET http://listed.test:$p/ HTTP/1.1', 'Host: listed.test:$p']],
      ['another host in the header', ['GET http://listed.test:$p/ HTTP/1.1', 'Host: 127.0.0.1:$p']],
      ['two hosts in the headers', ['GET http://x.test/ HTTP/1.1', 'Host: x.test', 'Host: 127.0.0.1:$p']],
      ['a path alone', ['GET / HTTP/1.1', 'Host: 127.0.0.1:$p']],
      ['another scheme', ['GET file:///etc/shadow HTTP/1.0']],
      [
        'a second request behind the first',
        ['GET http://x.test/ HTTP/1.1', 'Host: x.test', '', 'CONNECT 127.0.0.1:$p HTTP/1.0'],
      ],
      [
        'a request in the body of another',
        [
          'POST http://x.test/ HTTP/1.1',
          'Host: x.test',
          'Content-Length: 4',
          'Transfer-Encoding: chunked',
          '',
          '0',
          '',
          'CONNECT 127.0.0.1:$p HTTP/1.0',
        ],
      ],
      ['a line end in the place', ['CONNECT x.test:443\rHost:127.0.0.1:$p HTTP/1.0']],
    ] as const
  ).map(([name, lines]): Attempt => ({ name: `by the proxy: ${name}`, listed: true, script: throughProxy(...lines) })),
  {
    name: 'take the place of the proxy',
    listed: true,
    script: `perl -MSocket -e 'my $s; socket($s, PF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, $_, 1) for SO_REUSEADDR, SO_REUSEPORT; bind($s, pack_sockaddr_in(3128, INADDR_LOOPBACK)) && listen($s, 1) or die "$!\n"; print "ESCAPED\n"'`,
  },
  {
    name: 'find the channel to the app',
    listed: true,
    script: out('{ env | grep -q -e NODE_CHANNEL -e ELECTRON_RUN || ls -l /proc/[0-9]*/fd | grep -q socket:; }'),
  },
  { name: 'write to where it was', listed: true, script: out('( echo x >&3 ) 2>/dev/null') },
  { name: 'change the runtime', listed: true, script: out('{ ( : >> "$RUNTIME" ) || mv "$RUNTIME" gone; }') },
  { name: 'look a name up', listed: true, script: out('getent ahosts listed.test') },
  {
    name: 'send a datagram',
    listed: true,
    script: `perl -MSocket -e 'my $s; socket($s, PF_INET, SOCK_DGRAM, 0); send($s, "x", 0, pack_sockaddr_in(53, inet_aton("1.1.1.1"))) or die "$!\n"; print "ESCAPED\n"'`,
  },
];

/** Succeeds, and so shows that the others could. */
export const CONTROL: Attempt = {
  name: 'reach by the proxy what is let through',
  listed: true,
  script: throughProxy('CONNECT reached.test:$p HTTP/1.0'),
};

export const ATTEMPTS: readonly Attempt[] = [
  ...FILES,
  ...KERNEL,
  ...NETWORK,
  ...PROCESSES,
  ...PRIVILEGES,
  ...RESOURCES,
  ...PROTECTED,
  ...PROXY,
];
