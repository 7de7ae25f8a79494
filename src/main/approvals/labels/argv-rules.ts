import { inspectCodeRunner } from './code-runners';
import { inspectGit } from './git';
import type { Arg, Inspection } from './inspection';
import { isDevice, namesCredentials } from './paths';
import { CHANGES_LAST, CHANGES_OPERANDS, labelsOfPackages, labelsOfProgram } from './programs';
import { inspectWrapped } from './wrappers';

/** Inspects one command: its program, what its arguments make it do, and the commands within them. */
export function inspectCommand(words: readonly Arg[], into: Inspection): void {
  const [first, ...args] = words;
  if (first === undefined) return;
  for (const word of words) if (namesCredentials(word.value)) into.add('credentials');
  if (first.dynamic) {
    into.add('dynamic');
    into.found.runsCode = true;
    // `$SUDO rm x`: where the program is empty or a prefix, the next word is the program.
    into.command(args);
    return;
  }
  const program = plainName(first.value);
  const values = args.map((arg) => arg.value);
  into.add(...labelsOfProgram(program), ...labelsOfPackages(program, values));
  inspectOperands(program, values, into);
  inspectSpecial(program, args, values, into);
  if (program === 'git') inspectGit(args, into);
  else if (program === 'find' || program === 'fd' || program === 'fdfind') inspectFind(args, into);
  else if (!inspectCodeRunner(program, args, into)) {
    const isScript = first.value.includes('/') && /\.(?:sh|bash|zsh|py|js|mjs|ts|pl|rb|php)$/.test(program);
    if (!inspectWrapped(program, args, into) && isScript) into.add('script');
  }
}

/** The program's name without its folder. Windows' ending goes too. */
function plainName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

function inspectOperands(program: string, values: readonly string[], into: Inspection): void {
  const operands = values.filter((value) => !value.startsWith('-'));
  const changed = CHANGES_OPERANDS.has(program) ? operands : CHANGES_LAST.has(program) ? operands.slice(-1) : [];
  // `mv` takes its sources away from where they are.
  const touched = program === 'mv' ? operands : changed;
  for (const path of touched) {
    if (isDevice(path)) into.add('device');
    else if (into.isOutside(path)) into.add('outside');
  }
  if (program === 'cd' || program === 'pushd') {
    // A bare cd goes to the home folder.
    if ((operands.length === 0 && program === 'cd') || operands.some(into.isOutside)) into.found.leavesFolder = true;
  }
}

/** Programs of which only some uses deserve a label. */
function inspectSpecial(program: string, args: readonly Arg[], values: readonly string[], into: Inspection): void {
  const some = (pattern: RegExp) => values.some((value) => pattern.test(value));
  switch (program) {
    case 'dd':
      for (const value of values.filter((word) => word.startsWith('of='))) inspectTarget(value.slice(3), into);
      break;
    case 'sed':
      if (some(/^(?:-[A-Za-z]*i|--in-place)/)) into.add('writes');
      if (some(/(?:^|[;}/\d$])[ew](?:\s|$)|\/[gip\d]*[ew][gip]*(?:\s|$)/)) into.add('code');
      break;
    case 'perl':
      if (some(/^-[a-z0-9]*i/)) into.add('writes');
      break;
    case 'sort':
      if (some(/^(?:-[A-Za-z]*o|--output)/)) into.add('writes');
      break;
    case 'curl':
      if (some(/^(?:-[A-Za-z]*[oO]|--output|--remote-name|-[A-Za-z]*J)/)) into.add('writes');
      break;
    case 'wget':
      if (!some(/^(?:-[A-Za-z]*O-|--output-document=-|--spider)$/)) into.add('writes');
      break;
    case 'tar':
    case 'bsdtar':
      if (some(/^(?:-?[A-Za-z]*[xcru]|--extract|--get|--create|--append|--update)/)) into.add('writes');
      if (some(/^--(?:to-command|checkpoint-action|use-compress-program|rsh-command)|^-[A-Za-z]*I/)) into.add('code');
      break;
    case 'rsync':
      if (some(/^--(?:delete|remove-source)/)) into.add('deletes');
      break;
    case 'fuser':
      if (some(/^-[A-Za-z]*k/)) into.add('kills');
      break;
    case 'tmux':
      if (some(/^(?:new|new-session|-d)$/)) into.add('background');
      break;
    case 'launchctl':
    case 'systemctl':
    case 'service':
      if (some(/^(?:stop|restart|kill|try-restart|disable|mask|unload|bootout)$/)) into.add('kills');
      if (some(/^(?:start|restart|enable|load|bootstrap)$/)) into.add('background');
      if (some(/^(?:reboot|poweroff|halt|suspend|hibernate|kexec|rescue|emergency)$/)) into.add('power');
      break;
    case 'init':
      if (some(/^[06]$/)) into.add('power');
      break;
    case 'docker':
    case 'podman':
    case 'nerdctl':
      inspectContainers(values, into);
      break;
    case 'history':
      if (some(/^-[a-z]*[cd]/)) into.add('deletes');
      break;
    case 'kubectl':
    case 'helm':
    case 'terraform':
    case 'aws':
    case 'gh':
      if (some(/^(?:delete\b|destroy|uninstall|rm|rb|terminate)/)) into.add('deletes');
      if (program === 'terraform' && args.length > 0) into.add('network');
      break;
  }
}

function inspectContainers(values: readonly string[], into: Inspection): void {
  const some = (pattern: RegExp) => values.some((value) => pattern.test(value));
  if (some(/^(?:rm|rmi|prune|down)$/)) into.add('deletes');
  if (some(/^(?:kill|stop|restart|down|pause)$/)) into.add('kills');
  if (some(/^(?:pull|push|login|build|run|up|search|buildx|create)$/)) into.add('network');
  if (some(/^(?:-d|--detach|up)$/)) into.add('background');
  // Whoever may mount a folder into a container or leave its confinement has root's rights on the machine.
  if (some(/^(?:--privileged|-v|--volume|--mount|--pid=host|--cap-add|--device)/)) into.add('privilege');
}

/** A file that a command writes: by redirection or by name. */
export function inspectTarget(path: string, into: Inspection): void {
  if (isDevice(path)) into.add('device');
  else if (path !== '') {
    into.add('writes');
    if (into.isOutside(path)) into.add('outside');
  }
}

function inspectFind(args: readonly Arg[], into: Inspection): void {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]?.value ?? '';
    if (word === '-delete') into.add('deletes');
    if (/^-(?:fprint|fprintf|fprint0|fls)$/.test(word)) inspectTarget(args[at + 1]?.value ?? '', into);
    if (/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(word)) {
      const rest = args.slice(at + 1);
      const end = rest.findIndex((arg) => arg.value === ';' || arg.value === '+');
      into.command(end < 0 ? rest : rest.slice(0, end));
      at += end < 0 ? rest.length : end + 1;
    }
  }
}
