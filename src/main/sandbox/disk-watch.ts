import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { mountsBelow } from './mounts-below';

/** What was left of a file system when a command had to be ended for it. */
export interface Shortage {
  /** The folder that the file system was found by. */
  readonly path: string;
  /** `space` is counted in bytes, `files` in files that can still be made. */
  readonly kind: Kind;
  /** How much was to stay free. */
  readonly reserve: number;
}

type Kind = 'space' | 'files';

/** What stays free, at most: enough for the rest of the machine to go on, and for somebody to tidy up. */
const MOST = { space: 1024 ** 3, files: 10_000 } as const satisfies Record<Kind, number>;
/** And of the file system, at most. */
const SHARE = 1 / 10;
/** And of what was free when the command began: on a disk that is nearly full, normal work still goes on. */
const SHARE_OF_FREE = 1 / 2;

/** Between two looks, in milliseconds: the nearer the reserve, the sooner. */
const LOOK_MS = 250;
const NEAR_LOOK_MS = 5;
/** Faster than this nothing is expected to write, in bytes a millisecond: 8 GiB a second. */
const FASTEST = 8 * 1024 * 1024;

/** So many file systems below what can be written are looked at as well. */
const MAX_MOUNTS = 32;

/**
 * Watches the file systems that a command can write to, each by itself: one that does not answer keeps no other waiting.
 * How much a command writes is limited by nothing but this.
 */
export class DiskWatch {
  private readonly over = new AbortController();

  /**
   * @param folders real paths; what is mounted below them counts
   * @param onShort told once, when what is free somewhere falls below the reserve
   */
  constructor(
    private readonly folders: readonly string[],
    private readonly onShort: (shortage: Shortage) => void,
  ) {}

  start(): void {
    const folders = [...new Set(this.folders)];
    for (const folder of folders) void this.watch(folder);
    void mountsBelow(folders).then((mounts) => {
      for (const mount of mounts.slice(0, MAX_MOUNTS)) void this.watch(mount);
    });
  }

  stop(): void {
    this.over.abort();
  }

  /** Until it is stopped, or the file system can be asked nothing. Never rejects. */
  private async watch(path: string): Promise<void> {
    const { signal } = this.over;
    const first = await measure(path);
    const reserves = first.map((measured) => reserveOf(measured));
    for (let now = first; now.length > 0; now = await measure(path)) {
      if (signal.aborted) return;
      const short = now.findIndex(({ free }, index) => free < (reserves[index] ?? 0));
      const [kind, reserve] = [now[short]?.kind, reserves[short]];
      if (kind !== undefined && reserve !== undefined) {
        this.stop();
        return this.onShort({ path, kind, reserve });
      }
      await delay(pauseFor(now, reserves), undefined, { signal }).catch(() => undefined);
    }
  }
}

interface Measured {
  readonly kind: Kind;
  readonly free: number;
  readonly total: number;
}

/** For everybody, for root, and in files. Empty where nothing is counted there, or nobody answers. */
async function measure(path: string): Promise<readonly Measured[]> {
  const stats = await statfs(path).catch(() => null);
  if (stats === null || stats.blocks === 0) return [];
  const { bsize, blocks, bavail, bfree, files, ffree } = stats;
  const total = blocks * bsize;
  return [
    { kind: 'space', free: bavail * bsize, total },
    { kind: 'space', free: bfree * bsize, total },
    // Some file systems make room for files as they need it, and count none.
    { kind: 'files', free: ffree, total: files },
  ];
}

/** @returns 0 where nothing was free: below that it cannot fall. */
export function reserveOf({ kind, free, total }: Measured): number {
  return Math.floor(Math.min(MOST[kind], total * SHARE, free * SHARE_OF_FREE));
}

function pauseFor(now: readonly Measured[], reserves: readonly number[]): number {
  const distances = now.map(({ kind, free }, index) =>
    kind === 'space' && (reserves[index] ?? 0) > 0 ? free - (reserves[index] ?? 0) : Number.POSITIVE_INFINITY,
  );
  return Math.max(NEAR_LOOK_MS, Math.min(LOOK_MS, Math.min(...distances) / FASTEST));
}
