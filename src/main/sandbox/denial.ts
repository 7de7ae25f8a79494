import { constants } from 'node:os';
import type { Appeared } from './bwrap/sentinel';
import type { Shortage } from './disk-watch';
import type { Conclusion } from './launch';
import type { TreeLimit } from './limits-watch';
import type { SandboxLimits, SandboxPolicy } from './policy';
import type { ProcessEnd } from './process';
import { NETWORK_SHUT } from './wider/find-refusals';

const MIB = 1024 ** 2;
/** An exit code from here on says, by the custom of shells and of bwrap, which signal ended the process. */
const SIGNAL_BASE = 128;
const MAX_SIGNAL = 64;
const { SIGSYS, SIGXCPU, SIGXFSZ } = constants.signals;

/** A limit of the whole tree that was watched from outside, and reached. */
export function treeLimitNote(limit: TreeLimit, limits: SandboxLimits): string {
  switch (limit.kind) {
    case 'processes':
      return `Sayso ended it: more than ${limits.processes} processes and threads ran at once.`;
    case 'memory':
      return `Sayso ended it: together its processes used more than ${size(limits.memoryBytes)} of memory.`;
    case 'disk':
      return shortageNote(limit.shortage);
  }
}

/** Nothing is said about who took the space: others write there as well. */
function shortageNote({ path, kind, reserve }: Shortage): string {
  const left =
    kind === 'space' ? `less than ${size(reserve)} was free` : `fewer than ${reserve} more files could be made`;
  return `Sayso ended it: ${left} on the disk of ${path}. What it wrote is still there.`;
}

const cpuNote = ({ cpuSeconds }: SandboxLimits): string =>
  `One of its processes was ended after ${cpuSeconds} seconds of processor time.`;
const SYSTEM_CALL_NOTE = 'A process was ended because it made a system call that the sandbox forbids.';

export const processesNote = (limits: SandboxLimits): string =>
  `At most ${limits.processes} processes and threads can run here.`;

/** What a command brought into being that is protected. */
export function appearedNotes({ moved, named: repositories, stuck, insisted, isUnseen }: Appeared): string[] {
  return [
    ...(insisted === null ? [] : [`Sayso ended it: it kept making ${named(insisted)}, which is protected.`]),
    ...told(moved, (path) => `${named(path)} is protected and was moved aside: it may not be created or changed.`),
    ...told(
      repositories,
      (path) =>
        `${named(path)} was moved aside: an index names it, so git would do what its configuration says whenever somebody asks for the status.`,
    ),
    ...told(stuck, (path) => `${named(path)} is protected, and was created and could not be moved aside: remove it.`),
    ...(isUnseen
      ? ['Whether it made something that is protected cannot be told: its folder cannot be looked into.']
      : []),
  ];
}

/** What programs say of a name that something holds the place of. */
const IN_THE_WAY =
  /no such device or address|not a directory|is a directory|file exists|read-only file ?system|device or resource busy|permission denied|\b(?:ENXIO|ENOTDIR|EISDIR|EEXIST|EROFS|EBUSY|EACCES)\b/i;

/** No more is looked at of one line, in characters. */
const MAX_LINE = 2_000;

/**
 * Why a command could not make what is protected and missing, as far as it complains of it: a guess, as the hints are.
 * @param placed as they are told
 */
export function placedNotes(end: ProcessEnd, output: string, placed: readonly string[]): string[] {
  if (end.type === 'exited' && end.exitCode === 0) return [];
  const complaints = output.split('\n').filter((line) => IN_THE_WAY.test(line));
  const names = complaints.flatMap((line) => line.slice(0, MAX_LINE).split(/[^\p{L}\p{N}._/@+=,-]+/u));
  return placed
    .filter((path) => names.some((name) => `/${name}/`.includes(`/${path}/`)))
    .map(
      (path) => `${named(path)} is protected and not there: something empty holds its place, and it may not be made.`,
    );
}

/** So many are named. */
const MAX_TOLD = 10;

function told(paths: readonly string[], words: (path: string) => string): string[] {
  const more = paths.length - MAX_TOLD;
  return [...paths.slice(0, MAX_TOLD).map(words), ...(more > 0 ? [`The same was done with ${more} more.`] : [])];
}

/** A name that the command chose, so that it cannot be read as words of ours: quoted, and with nothing invisible in it. */
function named(path: string): string {
  if (/^[\p{L}\p{N}._/@+=,-]+$/u.test(path)) return path;
  return JSON.stringify(path).replace(/[\p{C}\p{Z}]/gu, (unseen) => (unseen === ' ' ? unseen : escaped(unseen)));
}

/** Each half of a character beyond U+FFFF by itself, as JSON has it. */
const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

const NETWORK_NOTES = {
  open: null,
  shut: 'The sandbox has no network; the agent file can open it (sandbox.network).',
  listed:
    'Only through the proxy that HTTP_PROXY and HTTPS_PROXY name, the hosts of the agent file can be reached here.',
} as const;

/** What a command ran under, as far as its end may come from that. */
export interface Confinement {
  readonly policy: SandboxPolicy;
  /** Whether the kernel was told the limits of the policy. */
  readonly hasLimits: boolean;
  /** Whether it saw only what bubblewrap shows, with a temporary folder and a home of its own. */
  readonly hasOwnFiles: boolean;
  /** Whether one of its processes was seen that had used up its processor time. */
  readonly usedUpCpu: boolean;
}

interface Hint {
  readonly pattern: RegExp;
  readonly note: (confinement: Confinement) => string | null;
}

/** Only where there are limits, or it would name one that is not there. */
const limitHint =
  (note: (limits: SandboxLimits) => string) =>
  ({ policy, hasLimits }: Confinement): string | null =>
    hasLimits ? note(policy.limits) : null;
const confinedHint =
  (note: string) =>
  ({ hasOwnFiles }: Confinement): string | null =>
    hasOwnFiles ? note : null;

/** What programs print when the sandbox refuses them something. A guess by nature, so each says "probably" or "if". */
const HINTS: readonly Hint[] = [
  {
    pattern: /read-only file ?system|\bEROFS\b/i,
    note: confinedHint(
      'The sandbox refused a write: only the workspace, but not its protected paths, and the temporary folder can be written.',
    ),
  },
  {
    pattern: NETWORK_SHUT,
    note: ({ policy: { network } }) => NETWORK_NOTES[network === true ? 'open' : network === false ? 'shut' : 'listed'],
  },
  {
    pattern: /operation not permitted|\bEPERM\b/i,
    note: () => 'The sandbox probably refused a privileged operation.',
  },
  {
    pattern: /cpu time limit exceeded/i,
    note: limitHint(cpuNote),
  },
  {
    pattern: /bad system call/i,
    note: confinedHint(SYSTEM_CALL_NOTE),
  },
  {
    pattern: /file too large|file size limit exceeded|\bEFBIG\b/i,
    note: limitHint(({ fileBytes }) => `No file can become larger than ${size(fileBytes)} here.`),
  },
  {
    pattern: /too many open files|\bEMFILE\b/i,
    note: limitHint(({ openFiles }) => `A process can have ${openFiles} files open here.`),
  },
  {
    pattern: /cannot fork|fork: |resource temporarily unavailable|\bEAGAIN\b/i,
    note: limitHint(processesNote),
  },
  {
    pattern: /cannot allocate memory|out of memory|\bENOMEM\b|MemoryError|bad_alloc/i,
    note: limitHint(({ memoryBytes }) => `A process can use ${size(memoryBytes)} of memory here.`),
  },
  {
    pattern: /no space left on device|\bENOSPC\b/i,
    note: confinedHint(
      'The temporary folder and the home of the sandbox are small and in memory; the workspace is not.',
    ),
  },
];

/** What is known about why a confined command did not succeed: limits that were reached, what the sandbox refused. */
export function explainFailure(end: ProcessEnd, output: string, confinement: Confinement): Conclusion['notes'] {
  if (end.type === 'not-started' || (end.type === 'exited' && end.exitCode === 0)) return [];
  const hints = HINTS.filter(({ pattern }) => pattern.test(output)).map(({ note }) => note(confinement));
  return [...new Set([endNote(end, confinement), ...hints])].filter((note) => note !== null);
}

function endNote(end: ProcessEnd, { policy: { limits }, usedUpCpu }: Confinement): string | null {
  const signal = signalOf(end);
  if (signal === SIGXCPU || usedUpCpu) return cpuNote(limits);
  if (signal === SIGXFSZ) return `It was ended because a file became larger than ${size(limits.fileBytes)}.`;
  if (signal === SIGSYS) return SYSTEM_CALL_NOTE;
  // Where the end itself is a signal, it is told with it.
  return end.type === 'exited' && signal > 0 && signal <= MAX_SIGNAL
    ? `Exit code ${end.exitCode} usually means: ended by signal ${signal}.`
    : null;
}

/** What a process was ended by, if that is what its end says; else 0 or less. */
function signalOf(end: ProcessEnd): number {
  if (end.type === 'exited') return end.exitCode - SIGNAL_BASE;
  const known: Readonly<Record<string, number | undefined>> = constants.signals;
  return (end.type === 'signalled' ? known[end.signal] : undefined) ?? 0;
}

const size = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;
