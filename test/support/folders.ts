import { execFileSync } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';

/** Makes a folder one that nobody can write to, root included; returns what undoes it. */
export async function makeReadOnly(folder: string): Promise<() => Promise<void>> {
  if (process.getuid?.() !== 0) {
    await chmod(folder, 0o555);
    return () => chmod(folder, 0o755);
  }
  // Permissions do not stop root; a read-only file system does.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'sayso-e2e', folder]);
  return async () => {
    if ((await readFile('/proc/mounts', 'utf8')).includes(` ${folder} `)) execFileSync('umount', [folder]);
  };
}
