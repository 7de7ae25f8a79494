import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { EventBody, EventOf, EventType, JournalEvent } from '../../src/shared/events';
import type { SessionId } from '../../src/shared/ids';
import type { Request } from '../../src/shared/requests';

export interface RequestRow {
  readonly id: string;
  readonly session_id: string;
  readonly body: Request;
  readonly state: string;
  readonly settlement: EventOf<'request_settled'>['settlement'] | null;
}

export interface SessionRow {
  readonly id: SessionId;
  readonly title: string;
  readonly state: string;
  readonly detail: string;
  readonly agent: string;
  readonly turns: number;
  readonly open_requests: number;
  readonly workspace: string;
}

interface GrantRow {
  readonly id: string;
  readonly session_id: string;
  readonly uses: number;
  readonly revoked_at: number | null;
}

/** What is on record, read from the file beside the app that writes it. */
export class JournalView {
  readonly file: string;

  constructor(home: string) {
    this.file = join(home, 'sayso.sqlite');
  }

  events(sessionId?: SessionId): JournalEvent[] {
    const rows = this.#all<{ seq: number; session_id: string; run_id: string; at: number; body: string }>(
      'SELECT * FROM events WHERE @id IS NULL OR session_id = @id ORDER BY seq',
      { id: sessionId ?? null },
    );
    return rows.map(({ seq, session_id, run_id, at, body }) => {
      return { seq, sessionId: session_id, runId: run_id, at, body: JSON.parse(body) } as JournalEvent;
    });
  }

  /** The bodies of one kind of event, of one session. */
  bodies<T extends EventType>(sessionId: SessionId, type: T): EventOf<T>[] {
    const bodies: EventBody[] = this.events(sessionId).map((event) => event.body);
    return bodies.filter((body): body is EventOf<T> => body.type === type);
  }

  session(sessionId: SessionId): SessionRow | undefined {
    return this.sessions().find((session) => session.id === sessionId);
  }

  sessions(): SessionRow[] {
    return this.#all<SessionRow>('SELECT * FROM sessions ORDER BY created_at');
  }

  requests(sessionId?: SessionId): RequestRow[] {
    const rows = this.#all<RequestRow & { body: string; settlement: string | null }>(
      'SELECT * FROM requests WHERE @id IS NULL OR session_id = @id ORDER BY created_at',
      { id: sessionId ?? null },
    );
    return rows.map((row) => {
      return {
        ...row,
        body: JSON.parse(row.body),
        settlement: row.settlement === null ? null : JSON.parse(row.settlement),
      };
    });
  }

  grants(): GrantRow[] {
    return this.#all<GrantRow>('SELECT * FROM grants ORDER BY created_at');
  }

  /** Nothing at all where there is no store yet, or none that can be read. */
  #all<Row>(sql: string, values: { readonly id?: string | null } = {}): Row[] {
    if (!existsSync(this.file)) return [];
    const database = new Database(this.file, { readonly: true, fileMustExist: true, timeout: 5_000 });
    try {
      return database.prepare(sql).all(values) as Row[];
    } catch (error) {
      // The app may be making its tables just now.
      if (error instanceof Error && error.message.startsWith('no such table')) return [];
      throw error;
    } finally {
      database.close();
    }
  }
}
