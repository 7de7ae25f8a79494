import { basename } from 'node:path';
import { runsAnyText } from './code-runners';
import { runsAnyProgram } from './wrappers';

/** Programs whose ordinary options run whatever they are told to, beside shells, interpreters and wrappers. */
const OTHERS = new Set(
  'find awk gawk mawk make npx pnpx bunx docker podman kubectl gdb expect script tmux screen'.split(' '),
);

/** Whether "this program with any arguments" comes to "any command whatever". */
export function canRunAnything(program: string): boolean {
  const name = basename(program).replace(/\.exe$/i, '');
  return runsAnyText(name) || runsAnyProgram(name) || OTHERS.has(name);
}
