import { descendants } from './descendants';
import { DiskWatch, type Shortage } from './disk-watch';
import type { Tree } from './launch';
import type { SandboxLimits } from './policy';

/** Between two looks at what the tree uses, in milliseconds; the first ones come sooner, a fork bomb is fast. */
const LOOK_MS = 250;
const FIRST_LOOKS_MS = [20, 20, 40, 80];

/** A limit of a whole tree that was reached. */
export type TreeLimit =
  | { readonly kind: 'processes' | 'memory' }
  | { readonly kind: 'disk'; readonly shortage: Shortage };

export interface Watched {
  /** The pid of a process that is above all of the tree; null until it is known. */
  readonly root: () => number | null;
  readonly limits: SandboxLimits;
  /** Real paths of the folders that it can write to. */
  readonly writable: readonly string[];
  /** Ends it at once. */
  readonly kill: () => void;
}

/** Looks at what a tree uses all together, which the kernel limits for each process alone, and ends it where that is too much. */
export class LimitsWatch {
  private readonly disks: DiskWatch;
  private looks = 0;
  private nextLook: NodeJS.Timeout | null = null;
  private isOver = false;
  private reached: TreeLimit | null = null;
  private cpuSeconds = 0;

  constructor(private readonly watched: Watched) {
    this.disks = new DiskWatch(watched.writable, (shortage) => this.trip({ kind: 'disk', shortage }));
  }

  /** Which limit was reached, the first one; null for none. */
  get limit(): TreeLimit | null {
    return this.reached;
  }

  /** Whether a process was seen that had used up its processor time. The kernel ends it, and tells nobody why. */
  get usedUpCpu(): boolean {
    return this.cpuSeconds >= this.watched.limits.cpuSeconds;
  }

  start(): void {
    this.lookSoon();
  }

  stop(): void {
    this.isOver = true;
    this.disks.stop();
    if (this.nextLook !== null) clearTimeout(this.nextLook);
  }

  private lookSoon(): void {
    if (this.isOver) return;
    const pause = FIRST_LOOKS_MS[this.looks++] ?? LOOK_MS;
    this.nextLook = setTimeout(() => {
      // Not while it starts, which would take longer for it: no disk is filled in the first moment.
      if (this.looks === 1) this.disks.start();
      void this.look().then(() => this.lookSoon());
    }, pause);
  }

  private async look(): Promise<void> {
    const { root, limits } = this.watched;
    const pid = root();
    if (pid === null) return;
    const { threads, memoryBytes, mostCpuSeconds } = await descendants(pid, limits.processes);
    this.cpuSeconds = Math.max(this.cpuSeconds, mostCpuSeconds);
    if (threads > limits.processes) this.trip({ kind: 'processes' });
    else if (memoryBytes > limits.memoryBytes) this.trip({ kind: 'memory' });
  }

  private trip(limit: TreeLimit): void {
    if (this.isOver) return;
    this.reached = limit;
    this.stop();
    this.watched.kill();
  }
}

/** A tree that is watched for as long as it runs. */
export const watchedTree = (tree: Tree, watch: LimitsWatch): Tree => ({
  watch() {
    tree.watch();
    watch.start();
  },
  end() {
    watch.stop();
    return tree.end();
  },
});
