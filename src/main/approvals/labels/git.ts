import { globalRunsAnother, verbRunsAnother } from './git-runs';
import type { Arg, Inspection } from './inspection';

/** Options of git itself that take their value from the next word. */
const GLOBAL_WITH_VALUE = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--config-env',
]);

/** Settings whose value git runs as a program. */
const RUNS_SETTING =
  /^(?:alias\.|.*(?:command|pager|editor|program|helper|hookspath|fsmonitor|askpass|textconv|driver))/i;

const NETWORK = new Set('push fetch pull clone ls-remote remote-update send-email svn p4 lfs'.split(' '));

const REWRITES = new Set('rebase filter-branch filter-repo replace prune gc update-ref'.split(' '));

const WRITES = new Set(
  'apply am checkout switch restore merge cherry-pick revert pull clone init mv rm reset'.split(' '),
);

/** What a git command does: to history, to files, over the network, and what it is made to run. */
export function inspectGit(args: readonly Arg[], into: Inspection): void {
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at]?.value ?? '';
    if (!word.startsWith('-')) break;
    if (globalRunsAnother(word)) into.add('code');
    if (!GLOBAL_WITH_VALUE.has(word)) continue;
    at += 1;
    const value = args[at]?.value ?? '';
    if (word === '-c') inspectSetting(value, into);
    if (word === '-C' && into.isOutside(value)) into.found.leavesFolder = true;
  }
  const verb = args[at]?.value ?? '';
  const rest = args.slice(at + 1);
  const words = rest.map((arg) => arg.value);
  // Short options may stand together in one word: -fd.
  const has = (long: string, short = '') =>
    words.some((word) => word === long || (short !== '' && new RegExp(`^-[A-Za-z]*${short}`).test(word)));

  if (verbRunsAnother(verb, words)) into.add('code');
  if (NETWORK.has(verb) || (verb === 'archive' && words.some((word) => word.startsWith('--remote'))))
    into.add('network');
  if (WRITES.has(verb)) into.add('writes');
  if (REWRITES.has(verb)) into.add('history');
  switch (verb) {
    case 'push':
      if (words.some((word) => /^(?:--force|--mirror|--delete|--prune|-[a-z]*[fd]|\+|:)/.test(word)))
        into.add('history');
      break;
    case 'reset':
      if (has('--hard') || has('--merge') || has('--keep')) into.add('history', 'deletes');
      break;
    case 'commit':
      if (has('--amend')) into.add('history');
      break;
    case 'clean':
      if (!has('--dry-run', 'n')) into.add('deletes');
      break;
    case 'rm':
      into.add('deletes');
      break;
    case 'reflog':
      if (words[0] === 'expire' || words[0] === 'delete') into.add('history');
      break;
    case 'branch':
    case 'tag':
      if (has('--delete', '[dDfM]') || has('--force')) into.add('history');
      break;
    case 'stash':
      if (words[0] !== 'list' && words[0] !== 'show') into.add('writes');
      if (words[0] === 'drop' || words[0] === 'clear') into.add('history', 'deletes');
      break;
    case 'checkout':
    case 'switch':
      if (has('--force', 'f') || has('--discard-changes') || has('--') || words.includes('.')) into.add('deletes');
      break;
    case 'restore':
      if (!has('--staged', 'S') || has('--worktree', 'W')) into.add('deletes');
      break;
    case 'submodule':
      if (words[0] === 'foreach') {
        into.found.runsCode = true;
        into.script(words.slice(1).join(' '));
      } else into.add('network', 'writes');
      break;
    case 'remote':
      if (words[0] === 'update' || words[0] === 'show' || words.includes('-f')) into.add('network');
      break;
    case 'bisect':
      if (words[0] === 'run') into.command(rest.slice(1));
      break;
    case 'config':
      into.add('writes');
      if (words.some((word) => RUNS_SETTING.test(word))) into.add('code');
      break;
    case 'worktree':
      if (words[0] !== 'list') into.add('writes');
      if (words[0] === 'remove') into.add('deletes');
      break;
  }
  if (verb === 'rebase') {
    rest.forEach((arg, index) => {
      const next = words[index + 1];
      if ((arg.value === '-x' || arg.value === '--exec') && next !== undefined) into.script(next);
      if (arg.value.startsWith('--exec=')) into.script(arg.value.slice('--exec='.length));
    });
  }
}

/** A `-c name=value`: some settings are programs that git then runs. */
function inspectSetting(setting: string, into: Inspection): void {
  const equals = setting.indexOf('=');
  const name = equals < 0 ? setting : setting.slice(0, equals);
  const value = equals < 0 ? '' : setting.slice(equals + 1);
  if (!RUNS_SETTING.test(name)) return;
  into.add('code');
  into.script(value.replace(/^!/, ''));
}
