import { quoted } from './shell-words';

/** What the attempts need to know; all of it names things that the probe made. */
export interface ProbeTargets {
  /** A folder outside of the workspace, with `secret` and `socket` in it. */
  readonly outside: string;
  readonly port: number;
  /** The name of an abstract socket, without the NUL. */
  readonly abstract: string;
  /** What the process that is to stay behind sleeps for, in seconds; nobody else does. */
  readonly seconds: string;
  /** A file that is a setting of the kernel. */
  readonly setting: string;
}

/**
 * Connects to every target. First to listeners of its own, and only if that works it says so: one that cannot connect at
 * all proves nothing.
 */
const CONNECT_PERL = `use Socket; alarm 5;
my ($port, $path, $abstract) = @ARGV;
sub attempt { my ($family, $address) = @_; my $s; socket($s, $family, SOCK_STREAM, 0) and connect($s, $address); }
sub control { my ($family, $address) = @_; my $s;
  socket($s, $family, SOCK_STREAM, 0) and bind($s, $address) and listen($s, 1) and attempt($family, getsockname($s)); }
print "can-inet\\n" if control(PF_INET, pack_sockaddr_in(0, INADDR_LOOPBACK));
print "can-unix\\n" if control(PF_UNIX, pack_sockaddr_un("control"));
print "can-abstract\\n" if control(PF_UNIX, pack_sockaddr_un("\\0control-$abstract"));
attempt(PF_INET, pack_sockaddr_in($port, INADDR_LOOPBACK));
attempt(PF_UNIX, pack_sockaddr_un($path));
attempt(PF_UNIX, pack_sockaddr_un("\\0$abstract"));
my $v; print "vsock\\n" if socket($v, 40, SOCK_STREAM, 0); print "can-vsock\\n";`;

const CONNECT_PYTHON = `import socket, sys
port, path, abstract = sys.argv[1:]
def attempt(family, address):
    try:
        s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(2); s.connect(address)
        return True
    except OSError: return False
def control(family, address):
    try:
        s = socket.socket(family, socket.SOCK_STREAM); s.bind(address); s.listen(1)
        return attempt(family, s.getsockname())
    except OSError: return False
if control(socket.AF_INET, ("127.0.0.1", 0)): print("can-inet")
if control(socket.AF_UNIX, "control"): print("can-unix")
if control(socket.AF_UNIX, "\\0control-" + abstract): print("can-abstract")
attempt(socket.AF_INET, ("127.0.0.1", int(port)))
attempt(socket.AF_UNIX, path)
attempt(socket.AF_UNIX, "\\0" + abstract)
try: socket.socket(40, socket.SOCK_STREAM); print("vsock")
except OSError: pass
print('can-vsock')`;

/**
 * Tries to break out in every way that a tier is to prevent. What can be judged from outside is (what was written, who
 * connected, what is still running); the rest it prints, a word a line.
 */
export function probeScript(targets: ProbeTargets): string {
  const { outside, port, abstract, seconds, setting } = targets;
  const connect = [port, `${outside}/socket`, abstract].map((word) => quoted(String(word))).join(' ');
  return `
echo started
: > inside && echo inside
( : > ${quoted(`${outside}/written`)} ) 2>/dev/null
cat ${quoted(`${outside}/secret`)} 2>/dev/null
( head -c 1 /etc/shadow ) >/dev/null 2>&1 && echo shadow
( : >> ${quoted(setting)} ) 2>/dev/null && echo kernel
if command -v perl >/dev/null 2>&1 && perl -MSocket -e 1 2>/dev/null; then
  perl -e ${quoted(CONNECT_PERL)} ${connect} 2>/dev/null
elif command -v python3 >/dev/null 2>&1; then
  python3 -I -S -c ${quoted(CONNECT_PYTHON)} ${connect} 2>/dev/null
fi
echo "net $(readlink /proc/self/ns/net)"
grep -E '^(CapEff|NoNewPrivs):' /proc/self/status
unshare --user --map-root-user true 2>/dev/null && echo namespace
for try in 1 2 3 4 5; do
  ( setsid sh -c 'trap "" TERM HUP INT; env -i setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &' & )
done
sleep 0.05
echo finished
`;
}
