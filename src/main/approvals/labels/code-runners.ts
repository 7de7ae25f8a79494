import type { Arg, Inspection } from './inspection';
import { joined } from './wrappers';

const SHELLS = new Set('sh bash dash zsh ksh mksh ash rbash fish yash'.split(' '));

/** Interpreters, with the options after which program code follows. */
const INTERPRETERS: ReadonlyMap<string, RegExp> = new Map([
  ['python', /^-[A-Za-z]*c/],
  ['pypy', /^-[A-Za-z]*c/],
  ['node', /^(?:-e|-p|-pe|--eval|--print)\b/],
  ['nodejs', /^(?:-e|-p|-pe|--eval|--print)\b/],
  ['bun', /^(?:-e|-p|--eval|--print)\b/],
  ['deno', /^eval$/],
  ['perl', /^-[A-Za-z0]*[eE]/],
  ['ruby', /^-[A-Za-z]*e/],
  ['php', /^-[A-Za-z]*r/],
  ['lua', /^-e/],
  ['tclsh', /^$/],
  ['osascript', /^-e/],
  ['pwsh', /^-(?:c|e|command|enc|encodedcommand)/i],
  ['powershell', /^-(?:c|e|command|enc|encodedcommand)/i],
  ['Rscript', /^-e/],
  ['julia', /^(?:-e|-E|--eval)/],
]);

/** Of a shell's options these take their value from the next word. */
const SHELL_VALUED = new Set(['--rcfile', '--init-file', '-o', '+o', '-O', '+O']);

/** Whether a program is one to run program text with: a shell, or an interpreter of any version. */
export function runsAnyText(program: string): boolean {
  return SHELLS.has(program) || INTERPRETERS.has(program.replace(/[\d.]+$/, ''));
}

/** Inspects what shells, interpreters and the shell's own ways to run text are given. False: it is none of them. */
export function inspectCodeRunner(program: string, args: readonly Arg[], into: Inspection): boolean {
  if (SHELLS.has(program)) inspectShell(args, into);
  else if (program === 'eval') inspectText(args, joined(args), into);
  else if (program === 'trap' || program === 'alias') inspectDeferred(program, args, into);
  else if (program === 'source' || program === '.') {
    into.found.runsCode = true;
    into.add('script');
  } else if (program === 'su' || program === 'runuser' || program === 'script' || program === 'sg') {
    const at = args.findIndex((arg) => /^(?:-[a-z]*c|--command)$/.test(arg.value));
    const text = args[at + 1];
    if (at < 0 || text === undefined) return false;
    inspectText([text], text.value, into);
  } else return inspectInterpreter(program, args, into);
  return true;
}

function inspectShell(args: readonly Arg[], into: Inspection): void {
  let commandString = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? { value: '', dynamic: false };
    const option = /^[-+]./.test(arg.value) && arg.value !== '--';
    if (option) {
      if (/^-[A-Za-z]*c/.test(arg.value)) commandString = true;
      if (/^-[A-Za-z]*s/.test(arg.value)) into.found.readsCode = true;
      if (SHELL_VALUED.has(arg.value) || /^-[A-Za-z]+o$/.test(arg.value)) at += 1;
      continue;
    }
    if (arg.value === '--' || arg.value === '-') continue;
    if (commandString) inspectText([arg], arg.value, into);
    else if (/^\/dev\/(?:stdin|fd\/0)$/.test(arg.value)) into.found.readsCode = true;
    else inspectFile(arg, into);
    return;
  }
  if (!commandString) into.found.readsCode = true;
}

/** A file of code. Its name may be that of a pipe: `bash <(curl …)`. */
function inspectFile(file: Arg, into: Inspection): void {
  into.add('script');
  if (file.dynamic) into.found.runsCode = true;
}

/** A text that is run as shell: what can be read of it, and a label for what cannot. */
function inspectText(parts: readonly Arg[], text: string, into: Inspection): void {
  into.found.runsCode = true;
  if (parts.some((part) => part.dynamic)) into.add('dynamic');
  into.script(text);
}

/** Text that the shell keeps and runs later. */
function inspectDeferred(program: string, args: readonly Arg[], into: Inspection): void {
  if (program === 'trap') {
    const text = args.find((arg) => !arg.value.startsWith('-'));
    if (text !== undefined && args.length > 1) inspectText([text], text.value, into);
    return;
  }
  for (const arg of args) {
    const equals = arg.value.indexOf('=');
    if (equals > 0) inspectText([arg], arg.value.slice(equals + 1), into);
  }
}

function inspectInterpreter(program: string, args: readonly Arg[], into: Inspection): boolean {
  const code = INTERPRETERS.get(program.replace(/[\d.]+$/, ''));
  if (code === undefined) return awkOrEditor(program, args, into);
  const at = args.findIndex((arg) => code.test(arg.value));
  const file = args.find((arg) => !arg.value.startsWith('-'));
  const module = args.findIndex((arg) => arg.value === '-m');
  if (at >= 0) {
    into.found.runsCode = true;
    into.add('code');
    if (args.slice(at, at + 2).some((arg) => arg.dynamic)) into.add('dynamic');
  } else if (/^py/.test(program) && module >= 0) into.command(args.slice(module + 1));
  else if (file !== undefined) inspectFile(file, into);
  else if (args.every((arg) => arg.value === '-')) into.found.readsCode = true;
  return true;
}

/** Programs whose own little language can start other programs. */
function awkOrEditor(program: string, args: readonly Arg[], into: Inspection): boolean {
  const text = joined(args);
  if (/^[gmn]?awk$/.test(program)) {
    if (/\bsystem\s*\(|\|\s*getline|\|\s*"|>\s*"/.test(text)) into.add('code');
    return true;
  }
  if (/^(?:n?vim?|emacs|ex|ed)$/.test(program) && /(?:^|\s)(?:-c|\+|--eval|--cmd)/.test(text)) into.add('code');
  return false;
}
