import { execFileSync } from 'node:child_process';

/** Whether bubblewrap works here: without it nothing is confined, and nothing refused. */
export function confinable(): boolean {
  try {
    execFileSync('bwrap', ['--unshare-user', '--unshare-net', '--ro-bind', '/', '/', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
