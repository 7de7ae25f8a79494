import { resolve } from 'node:path';
import type { ProcessEnd } from '../process';
import type { Refusal } from '../refusal';

export interface Finished {
  readonly end: ProcessEnd;
  /** Of at most 64 KiB. */
  readonly output: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** What of a path could be seen where it ran. */
  readonly shown: (path: string) => 'read' | 'write' | null;
  /** `open` also where it reached some hosts: which others it wanted is then known for certain. */
  readonly network: 'open' | 'shut';
}

/** No more is looked at of one line, in characters; nor of all arguments together. */
const MAX_LINE = 2_000;
const MAX_ARGUMENTS = 65_536;
const MAX_PATH = 1_024;
/** Paths that are looked at in the mounts, and what is left of them. Few will be places that there are. */
const MAX_NAMED = 256;
const MAX_FOUND = 64;

const READ_ONLY = /read-only file ?system|\bEROFS\b/i;
const MISSING =
  /no such file or directory|directory nonexistent|\bENOENT\b|cannot (?:open|find|access|stat)|can['’]t (?:open|find|cd)|does not exist|not found/i;
/** Words of those who wanted to make or change something. */
const MAKES = /\b(?:creat(?:e|ing)|mkdir|make|touch|writ(?:e|ing)|move|copy(?:file)?|rename)\b|directory nonexistent/i;

export const NETWORK_SHUT =
  /network is unreachable|\bENETUNREACH\b|could not resolve|temporary failure in name resolution|name or service not known|\bEAI_AGAIN\b|\bENOTFOUND\b/i;

/** A path in quotes, of whatever language; or one that stands alone. The `:` and the `/` before it are those of a URL. */
const QUOTED = /['"`‘“«]((?:~|\.\.)?\/[^'"`’”»\n]{0,1024})['"`’”»]/g;
const ALONE = /(?<![\w.:/~-])(?:\.\.)?\/[^\s'"`‘’“”«»:;,()<>|&$*?\\]{1,1024}/g;
/** No name that must be shown with an escape is offered, so none has to be looked at. */
const UNSHOWABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

interface Named {
  readonly kind: 'write' | 'read' | 'access';
  readonly path: string;
}

/**
 * What the sandbox probably kept a command from, by its exit code, what it printed and what it was called with. All of it
 * is text of others, who may print what they like: each is only a place to look at. Pure.
 */
export function findRefusals(finished: Finished): Refusal[] {
  const { end, output, argv, cwd, network, shown } = finished;
  if (end.type !== 'exited' || end.exitCode === 0) return [];
  const lines = output.split('\n').map((line) => line.slice(0, MAX_LINE));
  const named = new Map<string, Named>();
  for (const one of both(printedIn(lines, cwd), calledIn(argv, cwd))) {
    named.set(`${one.kind} ${one.path}`, one);
    if (named.size >= MAX_NAMED) break;
  }
  // What could be seen, or be written where that was wanted, was not refused.
  const refused = [...named.values()].filter(({ kind, path }) =>
    kind === 'write' ? shown(path) !== 'write' : shown(path) === null,
  );
  const shut = network === 'shut' && lines.some((line) => NETWORK_SHUT.test(line));
  return [...refused.slice(0, MAX_FOUND), ...(shut ? [{ kind: 'network', host: null, port: null } as const] : [])];
}

function* both<T>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  yield* first;
  yield* second;
}

function* printedIn(lines: readonly string[], cwd: string): Generator<Named> {
  for (const line of lines) {
    const readOnly = READ_ONLY.test(line);
    if (!readOnly && !MISSING.test(line)) continue;
    const kind = readOnly || MAKES.test(wordsOf(line)) ? 'write' : 'access';
    for (const path of pathsIn(line, cwd)) yield { kind, path };
  }
}

/** What a command was called with it at least wanted to see. */
function* calledIn(argv: readonly string[], cwd: string): Generator<Named> {
  const words = argv.slice(1).join('\n').slice(0, MAX_ARGUMENTS).split('\n');
  for (const word of words) for (const path of pathsIn(word, cwd)) yield { kind: 'read', path };
}

/** Without paths, and without the name of the program that a line begins with: `make: ` wants nothing. */
const wordsOf = (line: string): string =>
  line
    .replace(/^[\w.-]+: /, '')
    .replace(QUOTED, ' ')
    .replace(ALONE, ' ');

function* pathsIn(text: string, cwd: string): Generator<string> {
  for (const [, path = ''] of text.matchAll(QUOTED)) yield* place(path, cwd);
  for (const [path] of text.replace(QUOTED, ' ').matchAll(ALONE)) yield* place(path.replace(/[.)\]}]+$/, ''), cwd);
}

function* place(path: string, cwd: string): Generator<string> {
  if (path.startsWith('~') || path.length > MAX_PATH || UNSHOWABLE.test(path)) return;
  const absolute = resolve(cwd, path);
  if (absolute !== '/') yield absolute;
}
