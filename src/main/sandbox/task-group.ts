import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmdirSync } from 'node:fs';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from './is-running';
import { quoted } from './shell-words';

/** Followed by the pid of the app and something random. */
const PREFIX = 'sayso-';
/** Those of bwrap or of unshare do not count. */
const OWN_TASKS = 4;
/** The kernel empties a group some milliseconds after its last process ended. */
const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 10;

/**
 * A control group that counts tasks, for one command. The kernel's limit for a user does not hold for root, so
 * a root app needs it against fork bombs; for other users the limit does.
 */
export interface TaskGroup {
  /**
   * With what a shell puts itself in, before it becomes the command; null where it has to be put in with `add`. For a
   * thread that moves itself the kernel waits for nobody; for any other it waits until every processor was through its
   * scheduler, some ten milliseconds.
   */
  readonly enter: string | null;
  /** Puts a process in, and with it what it starts from now on. Never rejects. */
  add(pid: number): Promise<void>;
  wasReached(): boolean;
  /** Takes it away, and makes one for the next command, when there is time for that. */
  release(): void;
}

interface Made {
  readonly folder: string;
  /** Where a single thread puts itself in. Only v1 has groups of threads without further ado; else null. */
  readonly tasks: string | null;
  /** Of tasks. */
  readonly limit: number;
}

/** Where such groups can be made: cgroup v1 has a folder for each controller, v2 one for all. Tried, and remembered. */
let parent: Promise<string | null> | null = null;
/** Made ahead. Removed at the end of the app; what a kill -9 of it left, by the next one. */
let spare: Made | null = null;

/** @returns null where this process may not make one. */
export async function takeTaskGroup(processes: number): Promise<TaskGroup | null> {
  parent ??= findParent();
  const place = await parent;
  if (place === null) return null;
  const limit = processes + OWN_TASKS;
  const taken = spare;
  if (taken?.limit === limit) {
    spare = null;
    // An empty group is anybody's to clear away, and a command that cannot enter its group does not start.
    if (existsSync(taken.folder)) return groupOf(place, taken);
  }
  const made = await make(place, limit).catch(() => null);
  return made === null ? null : groupOf(place, made);
}

function groupOf(place: string, { folder, tasks, limit }: Made): TaskGroup {
  return {
    enter: tasks === null ? null : `echo 0 > ${quoted(tasks)}`,
    add: (pid) => writeFile(join(folder, 'cgroup.procs'), String(pid), { flag: 'r+' }).catch(() => undefined),
    wasReached() {
      try {
        // Answered from memory, and at once.
        return /^max [1-9]/m.test(readFileSync(join(folder, 'pids.events'), 'latin1'));
      } catch {
        return false;
      }
    },
    release: () => void replace(place, folder, limit),
  };
}

async function replace(place: string, folder: string, limit: number): Promise<void> {
  await delay(REMOVE_PAUSE_MS, undefined, { ref: false });
  await remove(folder);
  if (spare?.limit === limit) return;
  const made = await make(place, limit).catch(() => null);
  if (made === null) return;
  // With another limit, or of another command that ended meanwhile.
  const old = spare;
  spare = made;
  if (old !== null) await remove(old.folder);
}

async function make(place: string, limit: number): Promise<Made> {
  const folder = join(place, `${PREFIX}${process.pid}-${randomUUID()}`);
  await mkdir(folder);
  const tasks = join(folder, 'tasks');
  const isThreaded = access(tasks).then(
    () => true,
    () => false,
  );
  try {
    await writeFile(join(folder, 'pids.max'), String(limit), { flag: 'r+' });
  } catch (error) {
    await rmdir(folder).catch(() => undefined);
    throw error;
  }
  return { folder, tasks: (await isThreaded) ? tasks : null, limit };
}

async function remove(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    const error = await rmdir(folder).then(
      () => null,
      (failure: NodeJS.ErrnoException) => failure.code,
    );
    if (error !== 'EBUSY') return;
    await delay(REMOVE_PAUSE_MS, undefined, { ref: false });
  }
}

async function findParent(): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  const own = (await readFile('/proc/self/cgroup', 'latin1').catch(() => '')).split('\n');
  const first = own.find((line) => /^\d+:([^:]*,)?pids(,[^:]*)?:/.test(line))?.split(':')[2];
  const places = [...(first === undefined ? [] : [join('/sys/fs/cgroup/pids', first)]), '/sys/fs/cgroup'];
  for (const place of places) {
    const made = await make(place, 1).catch(() => null);
    if (made === null) continue;
    await remove(made.folder);
    // What a kill -9 of an app left.
    const left = (await readdir(place)).filter((name) => name.startsWith(PREFIX) && !isRunning(pidIn(name)));
    await Promise.all(left.map((name) => rmdir(join(place, name)).catch(() => undefined)));
    process.once('exit', removeSpare);
    return place;
  }
  return null;
}

const pidIn = (name: string): number => Number(name.slice(PREFIX.length).split('-')[0]);

function removeSpare(): void {
  try {
    if (spare !== null) rmdirSync(spare.folder);
  } catch {
    // Someone cleared it away.
  }
}
