import { basename } from 'node:path';
import { runsAnyText } from './code-runners';
import { runsAnyProgram } from './wrappers';

/** Programs whose ordinary options run whatever they are told to, beside shells, interpreters and wrappers. */
const OTHERS = new Set(
  (
    'find awk gawk mawk nawk sed gsed make gmake ninja cmake ctest npx pnpx bunx npm pnpm yarn cargo go just rake gradle ' +
    'mvn ant uv uvx pipx poetry conda nix nix-shell nix-env guix docker podman nerdctl kubectl vagrant ansible ' +
    'ansible-playbook gdb lldb expect script tmux screen tar gtar bsdtar rsync scp sftp ftp zip split sort vi vim nvim ' +
    'view rvim vimdiff ex ed emacs emacsclient nano less more man sqlite3 psql mysql gcc g++ cc c++ clang clang++ hg svn ' +
    'git gh ip tcpdump nmap crontab at batch apt apt-get dpkg rpm yum dnf brew'
  ).split(' '),
);

/** Whether "this program with any arguments" comes to "any command whatever". */
export function canRunAnything(program: string): boolean {
  const name = basename(program).replace(/\.exe$/i, '');
  // gcc-14, vim.basic and clang-19 are what their plain names are.
  const plain = name.replace(/[-.](?:\d[\d.]*|basic|tiny|nox|gtk3)$/, '');
  return [name, plain].some((one) => runsAnyText(one) || runsAnyProgram(one) || OTHERS.has(one));
}
