import { readdir, readFile } from 'node:fs/promises';

/** O_CLOEXEC as /proc/PID/fdinfo shows it, in octal. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * The descriptors above stderr that any child of this process would inherit: whoever started the app left them open,
 * and Node closes only its own. Empty where the system does not tell (all but Linux).
 */
export async function inheritedDescriptors(): Promise<number[]> {
  const names = await readdir('/proc/self/fdinfo').catch(() => []);
  const found = await Promise.all(names.map(Number).map(async (fd) => ((await isInherited(fd)) ? [fd] : [])));
  return found.flat();
}

async function isInherited(fd: number): Promise<boolean> {
  if (fd <= 2) return false;
  const info = await readFile(`/proc/self/fdinfo/${fd}`, 'latin1').catch(() => '');
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}
