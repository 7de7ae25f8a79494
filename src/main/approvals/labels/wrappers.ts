import type { Arg, Inspection } from './inspection';

interface Wrapper {
  /** Options that take their value from the next word. */
  readonly valued?: string;
  /** Words of its own between its options and the command. */
  readonly operands?: number;
  /** `NAME=value` words before the command belong to the wrapper. */
  readonly assignments?: boolean;
  /** The words of the command are joined and handed to a shell. */
  readonly joined?: boolean;
}

/** Programs that run the command in their arguments. */
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['sudo', { valued: '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir', assignments: true }],
  ['doas', { valued: '-u -C' }],
  ['run0', { valued: '-u -g -D --user --group --chdir --unit --setenv --property' }],
  ['pkexec', { valued: '--user' }],
  ['runuser', { valued: '-u -g -G' }],
  ['env', { valued: '-u -C --unset --chdir', assignments: true }],
  ['nohup', {}],
  ['setsid', {}],
  ['time', { valued: '-f -o --format --output' }],
  ['nice', { valued: '-n --adjustment' }],
  ['ionice', { valued: '-c -n -p' }],
  ['chrt', { valued: '-T -P -D', operands: 1 }],
  ['taskset', { operands: 1 }],
  ['timeout', { valued: '-k -s --kill-after --signal', operands: 1 }],
  ['stdbuf', { valued: '-i -o -e --input --output --error' }],
  ['command', {}],
  ['builtin', {}],
  ['exec', { valued: '-a' }],
  ['noglob', {}],
  ['busybox', {}],
  ['toybox', {}],
  ['chroot', { valued: '--userspec --groups', operands: 1 }],
  ['unshare', { valued: '-S -G -R -w --setuid --setgid --root --wd' }],
  ['nsenter', { valued: '-t -S -G --target --setuid --setgid' }],
  ['bwrap', {}],
  ['strace', { valued: '-e -o -p -s -u -E -P -I -O -S -a -b' }],
  ['ltrace', { valued: '-e -o -p -s -u -l -n -a' }],
  ['flock', { valued: '-w -E --timeout --conflict-exit-code', operands: 1 }],
  ['watch', { valued: '-n -q --interval --equexit', joined: true }],
  ['xargs', { valued: '-I -L -n -P -s -d -a -E --replace --max-lines --max-args --max-procs --delimiter --arg-file' }],
  ['parallel', { valued: '-j -S -a -I -n -N -L --jobs --sshlogin --arg-file', joined: true }],
  ['caffeinate', { valued: '-t -w' }],
  [
    'systemd-run',
    { valued: '-p -u -E -M -H --unit --property --setenv --on-calendar --on-active --slice --working-directory' },
  ],
  ['start-stop-daemon', {}],
  ['ssh', { valued: '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w', operands: 1, joined: true }],
  ['entr', {}],
  ['dotenv', { valued: '-f -e' }],
  ['proxychains4', { valued: '-f' }],
  ['xvfb-run', { valued: '-n -s -e -f -p -w' }],
  ['fakeroot', { valued: '-l -s -i -b' }],
]);

/** Whether a program is one to start any other program with. */
export function runsAnyProgram(program: string): boolean {
  return WRAPPERS.has(program);
}

/** Of these the command does not start at the first word that is no option. */
const MARKED: ReadonlyMap<string, string> = new Map([
  ['bwrap', '--'],
  ['start-stop-daemon', '--'],
]);

/** Inspects the command that a wrapper runs. False: the program is no wrapper. */
export function inspectWrapped(program: string, args: readonly Arg[], into: Inspection): boolean {
  const wrapper = WRAPPERS.get(program);
  if (wrapper === undefined) return false;
  // `command -v NAME` only looks a name up.
  if (program === 'command' && /^-[pvV]*[vV]/.test(args[0]?.value ?? '')) return true;
  // ssh starts a program on this side too, when a setting says so.
  if (program === 'ssh' && args.some(({ value }) => /(?:Proxy|Local|KnownHosts)Command/i.test(value))) into.add('code');
  const rest = args.slice(commandStart(program, wrapper, args, into));
  if (program === 'parallel') {
    const inputs = rest.findIndex((arg) => /^:::/.test(arg.value));
    into.script(joined(inputs < 0 ? rest : rest.slice(0, inputs)));
  } else if (wrapper.joined) {
    if (rest.length > 0) into.script(joined(rest));
  } else into.command(rest);
  return true;
}

function commandStart(program: string, wrapper: Wrapper, args: readonly Arg[], into: Inspection): number {
  const marker = MARKED.get(program);
  const marked = marker === undefined ? -1 : args.findIndex((arg) => arg.value === marker);
  if (marked >= 0) return marked + 1;
  const valued = new Set(wrapper.valued?.split(' ') ?? []);
  let operands = wrapper.operands ?? 0;
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at]?.value ?? '';
    if (program === 'env' && /^(?:-[a-z]*S|--split-string)/.test(word)) {
      // `env -S "rm -rf x"` splits its one word into a command.
      into.script(word.replace(/^(?:-[a-z]*S|--split-string=?)/, '') || (args[at + 1]?.value ?? ''));
      return args.length;
    }
    if (word === '--') return at + 1 + operands;
    if (valued.has(word)) at += 1;
    else if (word.startsWith('-') && word !== '-') continue;
    else if (wrapper.assignments && /^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) continue;
    else if (operands > 0) operands -= 1;
    else break;
  }
  return at;
}

export function joined(words: readonly Arg[]): string {
  return words.map((word) => word.value).join(' ');
}
