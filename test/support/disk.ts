import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own that a test can fill or make read-only; nothing else of the machine has to be full for it. */
export interface Disk {
  readonly path: string;
  /** Leaves so many bytes free. */
  fill(free: number): void;
  /** Takes away what `fill` wrote. */
  empty(): void;
  /** Nobody can write from now on. Throws as long as somebody has a file open for writing. */
  makeReadOnly(): void;
  unmount(): void;
}

/** Why this machine can make no disks; null where it can. */
export const NO_DISKS: string | null = whyNot();

function whyNot(): string | null {
  if (process.platform !== 'linux') return 'a disk in memory is made with mount -t tmpfs, which only Linux has';
  const folder = join(tmpdir(), `sayso-disk-try-${process.pid}`);
  try {
    execFileSync('mkdir', [folder]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder], { stdio: 'pipe' });
    execFileSync('umount', [folder]);
    return null;
  } catch (error) {
    return `this user may not mount a disk: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface DiskOptions {
  /** How many files fit. Default: more than anybody makes. */
  readonly files?: number;
  /** Whose it is. Default: of this user. */
  readonly uid?: number;
  /** The folder to make for it. Default: one in the temporary folder. */
  readonly at?: string;
}

export async function mountDisk(bytes: number, options: DiskOptions = {}): Promise<Disk> {
  const path = options.at ?? (await mkdtemp(join(tmpdir(), 'sayso-disk-')));
  if (options.at !== undefined) mkdirSync(path);
  const { files, uid = process.getuid?.() ?? 0 } = options;
  const room = [`size=${bytes}`, 'mode=0700', `uid=${uid}`, `gid=${uid}`, ...(files ? [`nr_inodes=${files}`] : [])];
  execFileSync('mount', ['-t', 'tmpfs', '-o', room.join(), 'none', path], { stdio: 'pipe' });
  const filler = join(path, 'filler');
  return {
    path,
    fill: (free) => {
      rmSync(filler, { force: true });
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - free)));
    },
    empty: () => rmSync(filler, { force: true }),
    makeReadOnly: () => execFileSync('mount', ['-o', 'remount,ro', path], { stdio: 'pipe' }),
    unmount: () => {
      // Processes of Chromium may hold a file for a moment longer than the app lives.
      execFileSync('umount', ['-l', path], { stdio: 'pipe' });
      rmSync(path, { recursive: true, force: true });
    },
  };
}
