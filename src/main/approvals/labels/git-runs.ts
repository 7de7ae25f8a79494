/**
 * Options with which a git command runs a program of the caller's choice, by the command: see git's manual pages. Long
 * ones may be shortened to what is still unique.
 */
const RUNS: Readonly<Record<string, RegExp>> = {
  archive: /^--exec(?:=|$)/,
  clone: /^(?:-u|--upload-pack|--template|-c|--config)/,
  difftool: /^(?:-x|--extcmd)/,
  fetch: /^--upload-pack/,
  grep: /^(?:-O|--open-files-in-pager)/,
  init: /^--template/,
  'ls-remote': /^--(?:upload-pack|exec)(?:=|$)/,
  pull: /^--upload-pack/,
  push: /^--(?:receive-pack|exec)(?:=|$)/,
  'send-email': /^--(?:smtp-server|to-cmd|cc-cmd|header-cmd|sendmail-cmd)/,
  'filter-branch': /^--[a-z-]*filter/,
};

/** The transport that is a command line of its own: `ext::sh -c ...`. */
const COMMAND_URL = /^ext::/i;

/** Whether the options of git itself make it run other programs than its own. */
export function globalRunsAnother(word: string): boolean {
  return /^--(?:exec-path=|config-env)/.test(word);
}

/** Whether a git command is told to run another program. */
export function verbRunsAnother(verb: string, words: readonly string[]): boolean {
  const options = RUNS[verb];
  return words.some((word) => COMMAND_URL.test(word) || options?.test(word) === true);
}
