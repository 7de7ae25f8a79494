import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { descendants } from '../descendants';
import type { Tree } from '../launch';
import { LimitsWatch, type TreeLimit } from '../limits-watch';
import type { SandboxLimits } from '../policy';
import { GRACE_MS, type TreeEnd } from '../process-tree';
import { type MountTable, mountTableOf } from './mount-table';

/** The kernel ends a namespace in milliseconds; a process that waits for a dead disk can take for ever. */
const GIVE_UP_MS = 6_000;
const RECHECK_MS = 1;
/** How long bwrap may take to be halted, in milliseconds. */
const HALT_MS = 500;
/** How long what a bwrap that has ended reported may take to be read, in milliseconds. */
const REPORT_MS = 500;
/** Between two looks for processes that were not asked yet. */
const ASK_AGAIN_MS = 25;
/** include/linux/sched.h: set once a process ends, for whatever reason, before it gives anything back. */
const PF_EXITING = 0x4;
/** A report is three lines; more than this is none, in bytes. */
const MAX_REPORT = 16_384;

/**
 * The processes of a pid namespace of their own. None can leave it, and with its first process the kernel ends them
 * all, so nothing has to be searched for.
 */
export class NamespaceTree implements Tree {
  private report = '';
  private readonly exited: Promise<void>;
  private readonly reported: Promise<void>;
  private readonly limits: LimitsWatch;
  private isEnding = false;

  /**
   * @param outer the bwrap outside, which dies with the app, and with which the namespace dies.
   * @param kept what all of it together may use, and the real paths of the folders that it can write to
   */
  constructor(
    private readonly outer: ChildProcess & { readonly pid: number },
    private readonly reports: Readable,
    kept: { readonly limits: SandboxLimits; readonly writable: readonly string[] },
  ) {
    this.limits = new LimitsWatch({ ...kept, root: () => this.first, kill: () => this.kill() });
    this.exited = new Promise((resolve) => outer.once('exit', () => resolve()));
    this.reported = new Promise((resolve) => reports.once('close', resolve));
    reports.on('data', (chunk: Buffer) => {
      if (this.report.length < MAX_REPORT) this.report += chunk.toString('latin1');
    });
  }

  /** Which limit of the whole tree was reached; null for none. */
  get limit(): TreeLimit | null {
    return this.limits.limit;
  }

  /** Whether one of its processes was seen that had used up its processor time. */
  get usedUpCpu(): boolean {
    return this.limits.usedUpCpu;
  }

  /** Whether everything was prepared and the command itself was started. */
  get wasStarted(): boolean {
    return this.number('exit-code') !== null;
  }

  /** What is mounted where for its first process, once all is made; null before. */
  mountsMade(): MountTable | null {
    const { first } = this;
    if (first === null || this.hasExited) return null;
    try {
      const table = mountTableOf(first);
      // The last thing that is done to the new root. Before that it sees this machine's.
      return table.root.isReadOnly && table.root.device !== mountTableOf('self').root.device ? table : null;
    } catch {
      return null;
    }
  }

  watch(): void {
    this.limits.start();
  }

  /** At once and without asking; `end` is still to be called. */
  kill(): void {
    if (this.hasExited) return;
    // Until the command starts, nothing binds it to bwrap.
    if (this.first !== null) kill(this.first);
    this.outer.kill('SIGKILL');
  }

  async end(): Promise<TreeEnd> {
    this.isEnding = true;
    this.limits.stop();
    const living = this.hasExited ? [] : await this.askToEnd();
    const first = this.first ?? (await this.unreported());
    if (first !== null && !this.hasExited) kill(first);
    this.kill();
    const deadline = Date.now() + GIVE_UP_MS;
    while (first !== null && isAlive(first)) {
      if (Date.now() > deadline) return { found: living.length, survivors: [first] };
      await delay(RECHECK_MS);
    }
    // Its end may be told before what it reported is read: a command that ran must not be taken for one that did not.
    if (this.outer.exitCode !== null && !this.wasStarted) await Promise.race([this.reported, delay(REPORT_MS)]);
    this.reports.destroy();
    return { found: living.length, survivors: [] };
  }

  /**
   * The namespace's first process, in the moment between its making and its report. A bwrap that is halted makes none
   * behind our back.
   */
  private async unreported(): Promise<number | null> {
    if (this.hasExited) return null;
    this.outer.kill('SIGSTOP');
    const deadline = Date.now() + HALT_MS;
    while (!this.hasExited && !isHalted(this.outer.pid) && Date.now() < deadline) await delay(RECHECK_MS);
    return this.hasExited ? null : firstChild(this.outer.pid);
  }

  /** SIGTERM to everything but the first process, which would ignore it, until it is gone or its time is up. */
  private async askToEnd(): Promise<number[]> {
    const asked = new Set<number>();
    const deadline = Date.now() + GRACE_MS;
    while (this.first !== null && !this.hasExited && Date.now() < deadline) {
      const { pids } = await descendants(this.first);
      for (const pid of pids) if (!asked.has(pid)) terminate(pid);
      for (const pid of pids) asked.add(pid);
      await Promise.race([this.exited, delay(ASK_AGAIN_MS)]);
    }
    return [...asked];
  }

  /** Whether nothing of it is to start any more. */
  get isOver(): boolean {
    return this.isEnding || this.hasExited;
  }

  private get hasExited(): boolean {
    return this.outer.exitCode !== null || this.outer.signalCode !== null;
  }

  /** The pid, outside, of the namespace's first process; null until it is known. */
  private get first(): number | null {
    return this.number('child-pid');
  }

  private number(key: string): number | null {
    const found = new RegExp(`"${key}"\\s*:\\s*(\\d+)`).exec(this.report)?.[1];
    return found === undefined ? null : Number(found);
  }
}

function isHalted(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.startsWith('T', stat.lastIndexOf(')') + 2);
  } catch {
    return true;
  }
}

function firstChild(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ')[0]) || null;
  } catch {
    return null;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function terminate(pid: number): void {
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself.
    }
  }
}

/**
 * Whether the namespace may still do anything. A zombie counts as gone: the first process becomes one only after every
 * other one was collected. Before that it takes down what was mounted, which takes a millisecond and which nobody has
 * to wait for: it never runs a program again, and it is the parent of everything that is left, so without a child it is
 * alone. /proc answers from memory, and at once.
 */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // proc(5): the state is the 3rd field, the flags are the 9th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (/^[ZX]/.test(fields[0] ?? '')) return false;
    const isEnding = (Number(fields[6]) & PF_EXITING) !== 0;
    return !isEnding || hasChildren(pid);
  } catch {
    return false;
  }
}

/** @returns true as well where the kernel does not tell. */
function hasChildren(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1') !== '';
  } catch {
    return true;
  }
}
