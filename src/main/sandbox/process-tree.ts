import { setTimeout as delay } from 'node:timers/promises';
import type { Listing, ProcessEntry, ProcessTable, TreeMark } from './process-table';

/** From SIGTERM to SIGKILL, in milliseconds (semantics: the child process). */
export const GRACE_MS = 2_000;
/** When ending a tree is given up, in milliseconds: the call has to be settled within 10 s of a stop. */
const GIVE_UP_MS = 8_500;
/** Between two looks while a tree is being ended, in milliseconds. */
const RECHECK_MS = 25;
/** The first looks come quicker: a daemon leaves its parent right after it was started. */
const FIRST_LOOKS_MS = [10, 20, 40, 80];
/** How often an empty table is asked again while processes come and go so fast that some may have been missed. */
const MAX_UNSETTLED = 20;
/** Between two of those looks, in milliseconds. */
const UNSETTLED_MS = 5;

/** After this long a pid that was seen in the beginning may have been given to another process, in milliseconds. */
const REUSE_MS = 30_000;

export interface TreeRoot {
  readonly pid: number;
  /** Pids that were there before the root was started and so are none of its tree. */
  readonly before: ReadonlySet<number>;
}

export interface TreeEnd {
  /** How many processes had to be ended. */
  readonly found: number;
  /** The pids of those that could not be. */
  readonly survivors: readonly number[];
}

interface Scan {
  readonly living: readonly ProcessEntry[];
  readonly unsettled: boolean;
}

/**
 * Every process that descends from one root, or that carries its mark, wherever it went: another group, another
 * session, another parent. What has shed the mark as well is known if a look found it while its parent lived.
 */
export class ProcessTree {
  private members = new Map<number, ProcessEntry>();
  /** Pids that are known to be none of the tree: they are not read again. */
  private readonly foreign: Set<number>;
  /** Pids of dead processes that nobody has collected yet. */
  private readonly dead = new Set<number>();
  private readonly created = Date.now();
  private readonly watching = new AbortController();
  private looks: Promise<void> = Promise.resolve();

  /** `root` is null where only the mark is known, after a crash of the app. */
  constructor(
    private readonly table: ProcessTable,
    private readonly mark: TreeMark,
    private readonly root: TreeRoot | null,
  ) {
    this.foreign = new Set(root?.before);
  }

  /** Looks at the tree again and again until `end`, to know what later loses its parent. */
  watch(): void {
    this.looks = this.look();
  }

  /** Ends the tree: SIGTERM, after GRACE_MS SIGKILL, until nothing is left. Takes less than 10 s, come what may. */
  async end(): Promise<TreeEnd> {
    this.watching.abort();
    await this.looks;
    if (Date.now() - this.created > REUSE_MS) this.foreign.clear();
    const began = Date.now();
    const asked = new Map<number, ProcessEntry>();
    for (let unsettled = 0; ; ) {
      const scan = await this.scan();
      if (scan.living.length === 0) {
        if (!scan.unsettled || ++unsettled > MAX_UNSETTLED) return { found: asked.size, survivors: [] };
        await delay(UNSETTLED_MS);
        continue;
      }
      const elapsed = Date.now() - began;
      if (elapsed > GIVE_UP_MS) return { found: asked.size, survivors: scan.living.map((entry) => entry.pid) };
      for (const entry of scan.living) {
        const isNew = asked.get(entry.pid)?.started !== entry.started;
        asked.set(entry.pid, entry);
        if (elapsed >= GRACE_MS) await this.kill(entry);
        else if (isNew) await this.terminate(entry);
      }
      await delay(Math.max(RECHECK_MS, this.table.intervalMs / 10));
    }
  }

  private async look(): Promise<void> {
    const { signal } = this.watching;
    for (let looks = 0; !signal.aborted; looks++) {
      await this.scan();
      const pause = FIRST_LOOKS_MS[looks] ?? this.table.intervalMs;
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  private async scan(): Promise<Scan> {
    const listing = await this.table.list((pid) => this.foreign.has(pid) || this.dead.has(pid));
    this.protectOurselves(listing);
    const entries = listing.entries.filter((entry) => !this.foreign.has(entry.pid));
    const unknown = entries.filter((entry) => !this.wasMember(entry)).map((entry) => entry.pid);
    const { marked, undecided } = await this.table.marks(unknown, this.mark);
    // What has just died may have left a child that came too late to be listed.
    const settled = !listing.vanished && listing.dead.length === 0;

    for (const pid of listing.dead) this.dead.add(pid);
    for (const known of [this.foreign, this.dead]) {
      for (const pid of known) if (!listing.present.has(pid)) known.delete(pid);
    }
    const living = this.family(entries, listing.present, marked);
    for (const { pid } of entries) if (settled && !living.has(pid) && !undecided.has(pid)) this.foreign.add(pid);
    this.members = living;
    const doubtful = [...undecided].some((pid) => !living.has(pid));
    return { living: [...living.values()], unsettled: !settled || doubtful };
  }

  /** Those of the entries that are of the tree, because of what they are or whom they belong to. */
  private family(entries: readonly ProcessEntry[], present: ReadonlySet<number>, marked: ReadonlySet<number>) {
    const living = new Map<number, ProcessEntry>();
    const ours = new Set<number>();
    // A session or group is the tree's own if its leader is of the tree or gone; a strange leader's never is.
    const claim = (leader: number): void => {
      if (leader <= 1) return;
      const alive = present.has(leader) && !this.dead.has(leader);
      if (!alive || this.members.has(leader) || living.has(leader)) ours.add(leader);
    };
    const claimOf = (entry: ProcessEntry): void => [entry.session, entry.group].forEach(claim);
    this.members.forEach(claimOf);
    if (this.root !== null) ours.add(this.root.pid);

    for (let size = -1; size < living.size; ) {
      size = living.size;
      for (const entry of entries) {
        const belongs =
          entry.pid === this.root?.pid ||
          this.wasMember(entry) ||
          marked.has(entry.pid) ||
          living.has(entry.parent) ||
          ours.has(entry.session) ||
          ours.has(entry.group);
        if (!belongs) continue;
        living.set(entry.pid, entry);
        claimOf(entry);
      }
    }
    return living;
  }

  private wasMember(entry: ProcessEntry): boolean {
    return this.members.get(entry.pid)?.started === entry.started;
  }

  /** Whoever started this app is none of its commands, even if the app was itself started by one. */
  private protectOurselves(listing: Listing): void {
    const parents = new Map(listing.entries.map((entry) => [entry.pid, entry.parent]));
    for (let pid: number | undefined = process.pid; pid !== undefined; pid = parents.get(pid)) {
      if (this.foreign.has(pid)) return;
      this.foreign.add(pid);
    }
  }

  private async terminate(entry: ProcessEntry): Promise<void> {
    if (!(await this.table.isAlive(entry))) return;
    send(entry.pid, 'SIGTERM');
    // A stopped process would take the signal only when someone continues it.
    send(entry.pid, 'SIGCONT');
  }

  private async kill(entry: ProcessEntry): Promise<void> {
    if (!(await this.table.isAlive(entry))) return;
    // The group in one go, so that a process that forks faster than we look cannot slip away.
    if (entry.group > 1 && !this.foreign.has(entry.group)) send(-entry.group, 'SIGKILL');
    send(entry.pid, 'SIGKILL');
  }
}

function send(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch (error) {
    // ESRCH: it ended by itself. EPERM: it belongs to someone else now (sudo), and `end` reports it as a survivor.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
