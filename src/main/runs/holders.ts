import type { SessionId } from '@shared/ids';
import { SessionId as SessionIdSchema } from '@shared/ids';
import { z } from 'zod';
import type { SqliteDatabase } from '../sessions/database';
import type { ProcessIdentity } from './process-identity';
import { Refusal } from './refusal';

const HolderRow = z.object({ session_id: SessionIdSchema, pid: z.number(), started: z.string(), since: z.number() });
type HolderRow = z.infer<typeof HolderRow>;

/**
 * Which process runs which session: two of them must not run one (semantics: resume). A row of a process that has ended
 * counts for nothing, so a crash leaves nothing locked.
 */
export class Holders {
  readonly #statements;
  readonly #take;

  constructor(
    database: SqliteDatabase,
    private readonly self: ProcessIdentity,
    private readonly isAlive: (process: ProcessIdentity) => Promise<boolean>,
    /** Ends the commands that a process has left, before what it ran may go on. */
    private readonly endCommandsOf: (process: ProcessIdentity) => Promise<unknown> = async () => undefined,
  ) {
    this.#statements = {
      find: database.prepare('SELECT * FROM holders WHERE session_id = ?'),
      all: database.prepare('SELECT * FROM holders'),
      insert: database.prepare(
        // What is being deleted is there for nobody, and nobody is to run it.
        `INSERT INTO holders (session_id, pid, started, since)
          SELECT id, ?, ?, ? FROM sessions WHERE id = ? AND deleted_at IS NULL ON CONFLICT DO NOTHING`,
      ),
      drop: database.prepare('DELETE FROM holders WHERE session_id = ? AND pid = ? AND started = ?'),
    };
    // One transaction that begins as a writer: of two that come at once, one finds the other's row.
    this.#take = database.transaction((sessionId: SessionId): HolderRow | null => {
      const { pid, started } = this.self;
      this.#statements.insert.run(pid, started, Date.now(), sessionId);
      const row = this.#find(sessionId);
      if (row === null) throw new Refusal('not-found', 'There is no such session.');
      return this.#isMine(row) ? null : row;
    });
  }

  /**
   * Makes this process the one that runs a session, until `release`.
   * @throws Refusal that says who else runs it, or that there is no such session
   */
  async take(sessionId: SessionId): Promise<void> {
    for (;;) {
      const other = this.#take.immediate(sessionId);
      if (other === null) return;
      if (await this.#isOver(other)) continue;
      throw refusal(other, 'Nothing was started here.');
    }
  }

  /**
   * @param what did not come of it then
   * @throws Refusal that says who else runs it, where somebody does
   */
  async refuseForeign(sessionId: SessionId, what: string): Promise<void> {
    const row = this.#find(sessionId);
    if (row !== null && !this.#isMine(row) && !(await this.#isOver(row))) throw refusal(row, what);
  }

  /** The same as `take` for a session that is just being made: nobody else can know it yet. */
  hold(sessionId: SessionId): void {
    this.#take.immediate(sessionId);
  }

  release(sessionId: SessionId): void {
    this.#statements.drop.run(sessionId, this.self.pid, this.self.started);
  }

  /** Sessions that another living process runs, and which one. Those of processes that have ended are let go. */
  async heldByOthers(): Promise<ReadonlyMap<SessionId, ProcessIdentity>> {
    const held = new Map<SessionId, ProcessIdentity>();
    for (const row of this.#statements.all.all().map((found) => HolderRow.parse(found))) {
      if (!this.#isMine(row) && !(await this.#isOver(row))) held.set(row.session_id, row);
    }
    return held;
  }

  /** Whether another process runs a session, as it stands in the store at this moment; it may have ended since. */
  isHeldByOther(sessionId: SessionId): boolean {
    const row = this.#find(sessionId);
    return row !== null && !this.#isMine(row);
  }

  #find(sessionId: SessionId): HolderRow | null {
    const row = this.#statements.find.get(sessionId);
    return row === undefined ? null : HolderRow.parse(row);
  }

  /** Whether the process has ended; then nothing of it runs, or holds anything, any more. */
  async #isOver(row: HolderRow): Promise<boolean> {
    if (await this.isAlive(row)) return false;
    await this.endCommandsOf(row);
    this.#statements.drop.run(row.session_id, row.pid, row.started);
    return true;
  }

  #isMine({ pid, started }: ProcessIdentity): boolean {
    return pid === this.self.pid && started === this.self.started;
  }
}

function refusal({ pid, since }: HolderRow, what: string): Refusal {
  return new Refusal(
    'conflict',
    `Another Sayso runs this session: process ${pid}, since ${new Date(since).toLocaleString('en')}.`,
    `Stop the run there, or wait for its end. ${what}`,
  );
}
