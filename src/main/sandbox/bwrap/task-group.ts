import { randomUUID } from 'node:crypto';
import { readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from '../is-running';

/** Followed by the pid of the app and something random. */
const PREFIX = 'sayso-';
/** bwrap's own processes do not count. */
const OWN_TASKS = 4;
/** The kernel empties a group some milliseconds after its last process ended. */
const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 10;
/** So many are kept for later commands: making one and removing it takes milliseconds. */
const MAX_FREE = 8;

/**
 * A control group that counts tasks, for one command at a time. The kernel's limit for a user does not hold for root, so
 * a root app needs it against fork bombs; for other users the limit does.
 */
export interface TaskGroup {
  /**
   * Gives what stands before a command, which then begins in the group; null where it has to be put in with `add`.
   * @param prepare what the shell that enters the group has to do as well, or the command does not begin
   */
  readonly enter: ((prepare: readonly string[]) => readonly string[]) | null;
  /** Puts a process in, and with it what it starts from now on. Never rejects. */
  add(pid: number): Promise<void>;
  wasReached(): boolean;
  /** To be called when nothing of the command is alive: the group is then there for the next one. */
  release(): void;
}

interface Made {
  readonly folder: string;
  /** Where a single thread puts itself in. Only v1 has groups of threads without further ado; else null. */
  readonly tasks: string | null;
}

/** Where such groups can be made: cgroup v1 has a folder for each controller, v2 one for all. Tried, and remembered. */
let parent: Promise<string | null> | null = null;
/** Nobody's at the moment. Removed at the end of the app; what a kill -9 of it left, by the next one. */
const free: Made[] = [];

/** @returns null where this process may not make one. */
export async function takeTaskGroup(processes: number): Promise<TaskGroup | null> {
  parent ??= findParent();
  const place = await parent;
  if (place === null) return null;
  // Each is asked once: one in which something still dies is left for later.
  for (let count = free.length; count > 0; count--) {
    const made = free.shift();
    const tasks = made === undefined ? null : numberIn(made, 'pids.current');
    if (made === undefined || tasks === null) continue;
    const group = tasks === 0 ? assign(made, processes) : null;
    if (group !== null) return group;
    free.push(made);
  }
  const made = await make(place).catch(() => null);
  return made === null ? null : assign(made, processes);
}

/** The files of a group are answered from memory, and at once. */
function assign(made: Made, processes: number): TaskGroup | null {
  const { folder, tasks } = made;
  try {
    writeFileSync(join(folder, 'pids.max'), String(processes + OWN_TASKS), { flag: 'r+' });
  } catch {
    return null;
  }
  // The kernel counts for as long as the group is there.
  const before = numberIn(made, 'pids.events') ?? 0;
  return {
    enter: tasks === null ? null : (prepare) => ['/bin/sh', '-c', script(prepare), tasks],
    add: (pid) => writeFile(join(folder, 'cgroup.procs'), String(pid), { flag: 'r+' }).catch(() => undefined),
    wasReached: () => (numberIn(made, 'pids.events') ?? 0) > before,
    release() {
      if (free.length < MAX_FREE) free.push(made);
      else void remove(folder);
    },
  };
}

/**
 * Puts itself into the group and becomes the command. For a thread that moves itself the kernel waits for nobody; for
 * any other it waits until every processor was through its scheduler, some ten milliseconds.
 */
const script = (prepare: readonly string[]): string => ['echo 0 > "$0"', ...prepare, 'exec "$@"'].join(' && ');

/** The number in one of the group's files; null where the group is gone. */
function numberIn({ folder }: Made, name: string): number | null {
  try {
    const found = /\d+/.exec(readFileSync(join(folder, name), 'latin1'));
    return found === null ? null : Number(found[0]);
  } catch {
    return null;
  }
}

async function make(place: string): Promise<Made> {
  const folder = join(place, `${PREFIX}${process.pid}-${randomUUID()}`);
  await mkdir(folder);
  const tasks = join(folder, 'tasks');
  const isThreaded = await access(tasks).then(
    () => true,
    () => false,
  );
  return { folder, tasks: isThreaded ? tasks : null };
}

async function remove(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    const error = await rmdir(folder).then(
      () => null,
      (failure: NodeJS.ErrnoException) => failure.code,
    );
    if (error !== 'EBUSY') return;
    await delay(REMOVE_PAUSE_MS);
  }
}

async function findParent(): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  const own = (await readFile('/proc/self/cgroup', 'latin1').catch(() => '')).split('\n');
  const first = own.find((line) => /^\d+:([^:]*,)?pids(,[^:]*)?:/.test(line))?.split(':')[2];
  const places = [...(first === undefined ? [] : [join('/sys/fs/cgroup/pids', first)]), '/sys/fs/cgroup'];
  for (const place of places) {
    const made = await make(place).catch(() => null);
    if (made === null) continue;
    const group = assign(made, 1);
    await remove(made.folder);
    if (group === null) continue;
    // What a kill -9 of an app left.
    const left = (await readdir(place)).filter((name) => name.startsWith(PREFIX) && !isRunning(pidIn(name)));
    await Promise.all(left.map((name) => rmdir(join(place, name)).catch(() => undefined)));
    process.once('exit', removeFree);
    return place;
  }
  return null;
}

const pidIn = (name: string): number => Number(name.slice(PREFIX.length).split('-')[0]);

function removeFree(): void {
  for (const { folder } of free) {
    try {
      rmdirSync(folder);
    } catch {
      // Something in it still dies.
    }
  }
}
