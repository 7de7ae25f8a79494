import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/** Where a child finds the channel to this process, if it has one: a single digit, so that any shell can close it. */
export const CHANNEL_FD = 3;

/** O_CLOEXEC as /proc/PID/fdinfo shows it, in octal. */
const CLOSE_ON_EXEC = 0o2000000;
/** The flags stand at the beginning of such a file. */
const beginning = Buffer.alloc(128);

/**
 * The descriptors above stderr that any child of this process would inherit: whoever started the app left them open,
 * and Node closes only its own. None where the system does not tell (all but Linux). /proc answers from memory, and at
 * once: through the thread pool each of these small files costs ten times as much.
 */
export class InheritedDescriptors {
  private readonly found: readonly number[] = descriptors().filter((fd) => fd > 2 && isInherited(fd));

  /** From this one on there are none. The place of a channel is never free, so that all others are the same without. */
  get firstFree(): number {
    return Math.max(CHANNEL_FD, ...this.found) + 1;
  }

  /** What a child gets in their place, from descriptor 3 to the last of them. @param channel whether it has one */
  covered(nothing: number, channel: boolean): (number | 'ignore' | 'ipc')[] {
    return Array.from({ length: this.firstFree - 3 }, (_, index) => {
      const fd = index + 3;
      if (channel && fd === CHANNEL_FD) return 'ipc';
      return this.found.includes(fd) ? nothing : 'ignore';
    });
  }
}

function descriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number);
  } catch {
    return [];
  }
}

function isInherited(fd: number): boolean {
  try {
    const info = openSync(`/proc/self/fdinfo/${fd}`, 'r');
    try {
      const length = readSync(info, beginning, 0, beginning.length, 0);
      const flags = /^flags:\s*([0-7]+)$/m.exec(beginning.toString('latin1', 0, length))?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    } finally {
      closeSync(info);
    }
  } catch {
    // Closed meanwhile.
    return false;
  }
}
