import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../../../sandbox/bundle';
import { STRANGER } from '../../../sandbox/escape/try-all';
import { SECRET } from './world';

const run = promisify(execFile);
const own = process.getuid?.() ?? -1;

/** Whom the attacks are tried as: root and an unprivileged user, where the test can become both. */
export const USERS: readonly (readonly [string, number])[] =
  own === 0
    ? [
        ['root', 0],
        ['an unprivileged user', STRANGER],
      ]
    : [['the user of this test', own]];

/** Runs a script of this folder as a user, in a folder of that user's own, with a file to read; gives what it printed. */
export async function runAs<T>(uid: number, script: string, given: string): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-attacks-')));
  try {
    const path = await bundle(script, join(folder, 'app'), import.meta.dirname);
    await writeFile(join(folder, 'given.json'), given);
    await mkdir(join(folder, 'work'));
    await chmod(folder, 0o755);
    if (own === 0) await chown(join(folder, 'work'), uid, uid);
    const { stdout } = await run(process.execPath, [path, join(folder, 'work'), join(folder, 'given.json')], {
      uid,
      gid: uid,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', VARIABLE: SECRET },
      maxBuffer: 256 * 1024 * 1024,
    });
    return JSON.parse(stdout) as T;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
