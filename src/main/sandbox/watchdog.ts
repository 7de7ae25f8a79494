import { spawn } from 'node:child_process';
import { CALL_MARK } from './reap';

/**
 * Waits for the end of its input, which is the end of the app, and then ends whatever carries the mark, until nothing
 * was found for a while: a process that is just becoming another one shows no environment.
 */
const SCRIPT = `
read -r _
quiet=0
looks=0
while [ "$quiet" -lt 6 ] && [ "$looks" -lt 200 ]; do
  quiet=$((quiet + 1))
  looks=$((looks + 1))
  for file in $(grep -lsz "^$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" && quiet=0
  done
  sleep 0.05
done`;

/**
 * Starts the process that outlives the app, by a moment, and ends what is left of its commands: the kernel ends a
 * sandbox together with the app, but not one that is just being made, and in the weaker tiers nothing at all. Where it
 * cannot be started, or has no /proc, the next start of the app ends them.
 * @param instanceId the one that the commands of this very process are marked with
 */
export function startWatchdog(instanceId: string, platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'linux') return;
  const mark = `${CALL_MARK}=${instanceId}.`.replaceAll('.', '\\.');
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'sayso-watchdog', mark], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    // Whoever ends the app's process group does not mean it.
    detached: true,
  });
  watchdog.on('error', () => undefined);
  watchdog.stdin.on('error', () => undefined);
  watchdog.unref();
  // A pipe is a handle that would keep this process.
  (watchdog.stdin as unknown as { unref(): void }).unref();
}
