import { readFile } from 'node:fs/promises';
import type { SandboxLimits } from './policy';

/** util-linux. Sets limits and becomes the command, whose tokens it does not touch. */
export const PRLIMIT = '/usr/bin/prlimit';
/** From SIGXCPU, which a program can take as a warning, to SIGKILL. */
const CPU_GRACE_SECONDS = 5;

/** The hard limits that this process has itself: none can be raised. Infinity where there is none. */
export type HardLimits = Readonly<Record<'cpu' | 'data' | 'nproc' | 'fsize' | 'nofile', number>>;

const NAMES = {
  cpu: 'Max cpu time',
  data: 'Max data size',
  nproc: 'Max processes',
  fsize: 'Max file size',
  nofile: 'Max open files',
} as const satisfies Record<keyof HardLimits, string>;

/** Reads them from /proc. */
export async function hardLimits(): Promise<HardLimits> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const hard = (name: string): number => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(name));
    const value = line?.slice(name.length).trim().split(/\s+/)[1];
    return value === undefined || value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value);
  };
  return {
    cpu: hard(NAMES.cpu),
    data: hard(NAMES.data),
    nproc: hard(NAMES.nproc),
    fsize: hard(NAMES.fsize),
    nofile: hard(NAMES.nofile),
  };
}

/** What the kernel is told, for each process. */
function kernelLimits(limits: SandboxLimits, hard: HardLimits) {
  const cpu = Math.min(limits.cpuSeconds, hard.cpu);
  const within = (name: Exclude<keyof HardLimits, 'cpu'>, wanted: number): number =>
    Math.min(Math.floor(wanted), hard[name]);
  return {
    cpu: { soft: cpu, hard: Math.min(cpu + CPU_GRACE_SECONDS, hard.cpu) },
    // What a process may write to in its memory. A limit on address space would stop runtimes that only reserve it.
    data: within('data', limits.memoryBytes),
    nproc: within('nproc', limits.processes),
    fsize: within('fsize', limits.fileBytes),
    nofile: within('nofile', limits.openFiles),
  };
}

/** The command that sets these limits for what follows. No core files: they would fill the workspace. */
export function limitCommand(limits: SandboxLimits, hard: HardLimits): string[] {
  const { cpu, data, nproc, fsize, nofile } = kernelLimits(limits, hard);
  return [
    PRLIMIT,
    `--cpu=${cpu.soft}:${cpu.hard}`,
    `--data=${data}:${data}`,
    `--nproc=${nproc}:${nproc}`,
    `--fsize=${fsize}:${fsize}`,
    `--nofile=${nofile}:${nofile}`,
    '--core=0:0',
    '--',
  ];
}

/**
 * The same for a POSIX shell to do, soft limits before hard ones, in KiB of data and blocks of 512 bytes of a file. The
 * number of processes is left out: outside of a namespace the kernel would count everything that the user runs.
 */
export function limitScript(limits: SandboxLimits, hard: HardLimits): string[] {
  const { cpu, data, fsize, nofile } = kernelLimits(limits, hard);
  return [
    `ulimit -S -t ${cpu.soft}`,
    `ulimit -H -t ${cpu.hard}`,
    `ulimit -d ${Math.floor(data / 1_024)}`,
    `ulimit -f ${Math.floor(fsize / 512)}`,
    `ulimit -n ${nofile}`,
    'ulimit -c 0',
  ];
}
