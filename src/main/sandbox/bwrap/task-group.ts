import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PREFIX = 'sayso-';
/** bwrap's own processes do not count. */
const OWN_TASKS = 4;
/** The kernel empties a group some milliseconds after its last process ended. */
const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 10;

/**
 * A control group that counts tasks, for one command. The kernel's limit for a user does not hold for root, so a root
 * app needs it against fork bombs; for other users the limit does.
 */
export interface TaskGroup {
  /** To stand before a command, which then begins in the group; empty where it has to be put in with `add`. */
  readonly enter: readonly string[];
  /** Puts a process in, and with it what it starts from now on. Never rejects. */
  add(pid: number): Promise<void>;
  /** Whether the limit was reached. */
  wasReached(): Promise<boolean>;
  remove(): Promise<void>;
}

/**
 * Puts itself into a group, quietly, and becomes the command. For a thread that moves itself the kernel waits for
 * nobody; for any other it waits until every processor was through its scheduler, some ten milliseconds.
 */
const ENTER = ['/bin/sh', '-c', '{ echo 0 > "$0"; } 2>/dev/null; exec "$@"'];

/** Where such groups can be made: cgroup v1 has a folder for each controller, v2 one for all. Tried, and remembered. */
let parent: Promise<string | null> | null = null;

/** @returns null where this process may not make one. */
export async function makeTaskGroup(processes: number): Promise<TaskGroup | null> {
  parent ??= findParent();
  const place = await parent;
  return place === null ? null : makeIn(place, processes).catch(() => null);
}

async function makeIn(place: string, processes: number): Promise<TaskGroup> {
  const folder = join(place, PREFIX + randomUUID());
  await mkdir(folder);
  // Only v1 has groups of single threads without further ado.
  const tasks = join(folder, 'tasks');
  const single = access(tasks).then(
    () => [...ENTER, tasks],
    () => [],
  );
  try {
    await writeFile(join(folder, 'pids.max'), String(processes + OWN_TASKS), { flag: 'r+' });
  } catch (error) {
    await rmdir(folder).catch(() => undefined);
    throw error;
  }
  return {
    enter: await single,
    add: (pid) => writeFile(join(folder, 'cgroup.procs'), String(pid), { flag: 'r+' }).catch(() => undefined),
    async wasReached() {
      const events = await readFile(join(folder, 'pids.events'), 'latin1').catch(() => '');
      return /^max [1-9]/m.test(events);
    },
    async remove() {
      for (let tries = 0; tries < REMOVE_TRIES; tries++) {
        const error = await rmdir(folder).then(
          () => null,
          (failure: NodeJS.ErrnoException) => failure.code,
        );
        if (error !== 'EBUSY') return;
        await delay(REMOVE_PAUSE_MS);
      }
    },
  };
}

async function findParent(): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  const own = (await readFile('/proc/self/cgroup', 'latin1').catch(() => '')).split('\n');
  const first = own.find((line) => /^\d+:([^:]*,)?pids(,[^:]*)?:/.test(line))?.split(':')[2];
  const places = [...(first === undefined ? [] : [join('/sys/fs/cgroup/pids', first)]), '/sys/fs/cgroup'];
  for (const place of places) {
    const group = await makeIn(place, 1).catch(() => null);
    if (group === null) continue;
    await group.remove();
    // What a kill -9 of the app left. One that is in use cannot be removed.
    const left = (await readdir(place)).filter((name) => name.startsWith(PREFIX));
    await Promise.all(left.map((name) => rmdir(join(place, name)).catch(() => undefined)));
    return place;
  }
  return null;
}
