import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

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

  /** From this one on there are none. */
  get firstFree(): number {
    return Math.max(2, ...this.found) + 1;
  }

  /** What a child gets in their place, from descriptor 3 to the last of them. */
  covered(nothing: number): (number | 'ignore')[] {
    return Array.from({ length: this.firstFree - 3 }, (_, index) =>
      this.found.includes(index + 3) ? nothing : 'ignore',
    );
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
