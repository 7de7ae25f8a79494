import { readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC as /proc/PID/fdinfo shows it, in octal. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * The descriptors above stderr that any child of this process would inherit: whoever started the app left them open,
 * and Node closes only its own. Empty where the system does not tell (all but Linux). /proc answers from memory, and at
 * once: through the thread pool each of these small files costs ten times as much.
 */
export class InheritedDescriptors {
  private found: readonly number[] | null = null;

  /** Looked for when they are first asked for. */
  get all(): readonly number[] {
    this.found ??= descriptors().filter((fd) => fd > 2 && isInherited(fd));
    return this.found;
  }

  /** From this one on there are none. */
  get firstFree(): number {
    return Math.max(2, ...this.all) + 1;
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
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed meanwhile.
    return false;
  }
}
