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
  ) {
    this.#statements = {
      find: database.prepare('SELECT * FROM holders WHERE session_id = ?'),
      all: database.prepare('SELECT * FROM holders'),
      insert: database.prepare(
        'INSERT INTO holders (session_id, pid, started, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      ),
      drop: database.prepare('DELETE FROM holders WHERE session_id = ? AND pid = ? AND started = ?'),
    };
    // One transaction that begins as a writer: of two that come at once, one finds the other's row.
    this.#take = database.transaction((sessionId: SessionId): HolderRow | null => {
      const { pid, started } = this.self;
      this.#statements.insert.run(sessionId, pid, started, Date.now());
      const row = HolderRow.parse(this.#statements.find.get(sessionId));
      return this.#isMine(row) ? null : row;
    });
  }

  /**
   * Makes this process the one that runs a session, until `release`.
   * @throws Refusal that says who else runs it
   */
  async take(sessionId: SessionId): Promise<void> {
    for (;;) {
      const other = this.#take.immediate(sessionId);
      if (other === null) return;
      if (await this.isAlive(other)) {
        const since = new Date(other.since).toLocaleString('en');
        throw new Refusal(
          'conflict',
          `Another Sayso runs this session: process ${other.pid}, since ${since}.`,
          'Stop the run there, or wait for its end. Nothing was started here.',
        );
      }
      this.#statements.drop.run(sessionId, other.pid, other.started);
    }
  }

  /** The same for a session that was made just now: nobody else can know it yet. */
  hold(sessionId: SessionId): void {
    this.#take.immediate(sessionId);
  }

  release(sessionId: SessionId): void {
    this.#statements.drop.run(sessionId, this.self.pid, this.self.started);
  }

  /** Sessions that another living process runs now. */
  async heldByOthers(): Promise<ReadonlySet<SessionId>> {
    const held = new Set<SessionId>();
    for (const row of this.#statements.all.all().map((found) => HolderRow.parse(found))) {
      if (!this.#isMine(row) && (await this.isAlive(row))) held.add(row.session_id);
    }
    return held;
  }

  #isMine({ pid, started }: ProcessIdentity): boolean {
    return pid === this.self.pid && started === this.self.started;
  }
}
