import { readdir, readFile } from 'node:fs/promises';
import { procTable } from './process-table';

export interface Descendants {
  readonly pids: readonly number[];
  readonly threads: number;
  /** What is in memory, without what is shared with files. */
  readonly memoryBytes: number;
  /** Processor time of the process that used most of it. */
  readonly mostCpuSeconds: number;
}

/** Of what /proc counts memory in. Larger pages make the sum too small, never too large. */
const PAGE = 4_096;

/** Of what /proc counts processor time in, for every program (proc(5), USER_HZ). */
const TICKS_PER_SECOND = 100;

/** Looked at together, so that a look at a fork bomb can be broken off while it still grows. */
const BATCH = 32;

/**
 * Everything below a process, itself left out, and what it uses. Of what starts or ends meanwhile a part may be missing.
 * @param enough with more threads than this the look is over: what it found is then only a part.
 */
export async function descendants(root: number, enough = Number.POSITIVE_INFINITY): Promise<Descendants> {
  const children = await childrenLookup(root);
  const pids = [...(await children(root))];
  let threads = 0;
  let pages = 0;
  let ticks = 0;
  for (let at = 0; at < pids.length && threads <= enough; ) {
    const batch = pids.slice(at, at + BATCH);
    at += batch.length;
    const looked = await Promise.all(batch.map((pid) => Promise.all([usageOf(pid), children(pid)])));
    for (const [usage, below] of looked) {
      threads += usage.threads;
      pages += usage.pages;
      ticks = Math.max(ticks, usage.ticks);
      pids.push(...below);
    }
    // What is known to be there counts before it is looked at.
    if (pids.length > enough) threads = Math.max(threads, pids.length);
  }
  return { pids, threads, memoryBytes: pages * PAGE, mostCpuSeconds: ticks / TICKS_PER_SECOND };
}

type Children = (pid: number) => Promise<readonly number[]>;

/** The kernel's own lists where it keeps them, else one look at all processes of the machine. */
async function childrenLookup(root: number): Promise<Children> {
  const own = await readFile(`/proc/${root}/task/${root}/children`, 'latin1').catch(() => null);
  if (own !== null) return childrenOf;
  const { entries } = await procTable.list(() => false);
  return async (pid) => entries.filter(({ parent }) => parent === pid).map((entry) => entry.pid);
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

interface Usage {
  readonly threads: number;
  readonly pages: number;
  readonly ticks: number;
}

async function usageOf(pid: number): Promise<Usage> {
  const [stat, statm] = await Promise.all(
    ['stat', 'statm'].map((name) => readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '')),
  );
  // proc(5): utime, stime and num_threads are the 14th, 15th and 20th field, and the state is the 3rd; resident and shared
  // are the 2nd and 3rd of statm.
  const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
  const [, resident = 0, shared = 0] = (statm ?? '').split(' ').map(Number);
  const ticks = Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  return { threads: Number(fields[17] ?? 0), pages: Math.max(0, resident - shared), ticks };
}
