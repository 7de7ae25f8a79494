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
const SIGXCPU = 24;
const SIGXFSZ = 25;
const SIGSYS = 31;

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

export const processesNote = (limits: SandboxLimits): string =>
  `At most ${limits.processes} processes and threads can run here.`;

/** What a command brought into being that is protected. */
export function appearedNotes({ moved, stuck, insisted }: Appeared): string[] {
  return [
    ...(insisted === null ? [] : [`Sayso ended it: it kept making ${insisted}, which is protected.`]),
    ...moved.map((path) => `${path} is protected and was moved aside: it may not be created or changed.`),
    ...stuck.map((path) => `${path} is protected, and was created and could not be moved aside: remove it by hand.`),
  ];
}

const NETWORK_NOTES = {
  open: null,
  shut: 'The sandbox has no network; the agent file can open it (sandbox.network).',
  listed:
    'Only through the proxy that HTTP_PROXY and HTTPS_PROXY name, the hosts of the agent file can be reached here.',
} as const;

interface Hint {
  readonly pattern: RegExp;
  readonly note: (policy: SandboxPolicy) => string | null;
}

/** What programs print when the sandbox refuses them something. A guess by nature, so each says "probably" or "if". */
const HINTS: readonly Hint[] = [
  {
    pattern: /read-only file ?system|\bEROFS\b/i,
    note: () =>
      'The sandbox refused a write: only the workspace, but not its protected paths, and the temporary folder can be written.',
  },
  {
    pattern: NETWORK_SHUT,
    note: ({ network }) => NETWORK_NOTES[network === true ? 'open' : network === false ? 'shut' : 'listed'],
  },
  {
    pattern: /operation not permitted|\bEPERM\b/i,
    note: () => 'The sandbox probably refused a privileged operation.',
  },
  {
    pattern: /file too large|\bEFBIG\b/i,
    note: ({ limits }) => `No file can become larger than ${size(limits.fileBytes)} here.`,
  },
  {
    pattern: /too many open files|\bEMFILE\b/i,
    note: ({ limits }) => `A process can have ${limits.openFiles} files open here.`,
  },
  {
    pattern: /cannot fork|fork: |resource temporarily unavailable|\bEAGAIN\b/i,
    note: ({ limits }) => processesNote(limits),
  },
  {
    pattern: /cannot allocate memory|out of memory|\bENOMEM\b|MemoryError|bad_alloc/i,
    note: ({ limits }) => `A process can use ${size(limits.memoryBytes)} of memory here.`,
  },
  {
    pattern: /no space left on device|\bENOSPC\b/i,
    note: () => 'The temporary folder and the home of the sandbox are small and in memory; the workspace is not.',
  },
];

/** What is known about why a confined command did not succeed: limits that were reached, what the sandbox refused. */
export function explainFailure(end: ProcessEnd, output: string, policy: SandboxPolicy): Conclusion['notes'] {
  if (end.type === 'not-started' || (end.type === 'exited' && end.exitCode === 0)) return [];
  const bySignal = end.type === 'exited' ? signalNote(end.exitCode - SIGNAL_BASE, policy.limits) : null;
  const hints = HINTS.filter(({ pattern }) => pattern.test(output)).map(({ note }) => note(policy));
  return [bySignal, ...hints].filter((note) => note !== null);
}

function signalNote(signal: number, limits: SandboxLimits): string | null {
  switch (signal) {
    case SIGXCPU:
      return `It was ended after ${limits.cpuSeconds} seconds of processor time.`;
    case SIGXFSZ:
      return `It was ended because a file became larger than ${size(limits.fileBytes)}.`;
    case SIGSYS:
      return 'It was ended because it made a system call that the sandbox forbids.';
    default:
      return signal > 0 && signal <= 64
        ? `Exit code ${SIGNAL_BASE + signal} usually means: ended by signal ${signal}.`
        : null;
  }
}

const size = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;
