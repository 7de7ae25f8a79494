import type { SqliteDatabase } from './database';
import { fillSearchIndex } from './search/fill-index';

export interface Migration {
  readonly sql: string;
  /** What SQL alone cannot do; in the same transaction, after it. */
  readonly fill?: (database: SqliteDatabase) => void;
}

/**
 * The schema's history: entry N brings a file of version N to N + 1. Entries are never edited once released; a change is
 * a new entry, with a test from a committed file of the version before. Events are only ever inserted, and go only with
 * their whole session.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    sql: `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    workspace TEXT NOT NULL,
    mode TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    state TEXT NOT NULL,
    detail TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost_usd REAL,
    working_ms INTEGER NOT NULL,
    open_requests INTEGER NOT NULL,
    next_expiry_at INTEGER,
    -- 0 needs the operator, 1 works, 2 has ended: the order of the list, kept here so that one index serves it.
    rank INTEGER GENERATED ALWAYS AS (CASE
      WHEN open_requests > 0 THEN 0
      WHEN state IN ('starting', 'thinking', 'acting', 'waiting') THEN 1
      ELSE 2 END) STORED
  ) STRICT;
  CREATE INDEX sessions_list ON sessions (rank, updated_at DESC, id);

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    state TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_session ON runs (session_id);
  CREATE INDEX runs_active ON runs (id) WHERE ended_at IS NULL;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_session ON events (session_id, seq);

  CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    settled_at INTEGER,
    settlement TEXT
  ) STRICT;
  CREATE INDEX requests_session ON requests (session_id);
  CREATE INDEX requests_pending ON requests (session_id) WHERE state = 'pending';

  CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    match TEXT NOT NULL,
    covers TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    uses INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX grants_session ON grants (session_id);
  CREATE INDEX grants_live ON grants (id) WHERE revoked_at IS NULL;

  -- One row a settled request, chained by hash. It outlives its session: then body is null, and the chain still holds.
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    request_id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    body TEXT,
    body_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_session ON audit (session_id);

  -- What was said and run, to be searched; rowid is the event's seq.
  CREATE VIRTUAL TABLE event_text USING fts5 (text, content='', contentless_delete=1);
  CREATE TRIGGER events_gone AFTER DELETE ON events BEGIN
    DELETE FROM event_text WHERE rowid = old.seq;
  END;
  `,
  },
  {
    sql: `
  ALTER TABLE sessions ADD COLUMN waiting_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN approved INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN denied INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN origin TEXT;
  -- Set while it is being deleted, bit by bit: it is shown nowhere, and what is left of it goes at the next start.
  ALTER TABLE sessions ADD COLUMN deleted_at INTEGER;
  UPDATE sessions SET
    approved = (SELECT count(*) FROM requests WHERE session_id = sessions.id AND state = 'approved'),
    denied = (SELECT count(*) FROM events WHERE session_id = sessions.id AND type = 'tool_denied');
  DROP INDEX sessions_list;
  CREATE INDEX sessions_list ON sessions (rank, -pinned, -updated_at, id) WHERE deleted_at IS NULL;

  -- Which process runs a session now.
  CREATE TABLE holders (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    since INTEGER NOT NULL
  ) STRICT;

  -- What was said, run and decided, with what it can be filtered by; rowid is the event's seq. What is deleted goes at
  -- once, not at the next merge.
  DROP TRIGGER events_gone;
  DROP TABLE event_text;
  CREATE VIRTUAL TABLE event_search USING fts5 (text, facets, prefix='2 3');
  INSERT INTO event_search (event_search, rank) VALUES ('secure-delete', 1);
  CREATE TRIGGER events_gone AFTER DELETE ON events BEGIN
    DELETE FROM event_search WHERE rowid = old.seq;
  END;
  `,
    fill: fillSearchIndex,
  },
  {
    sql: `
  -- Set from when a session was taken in from a file until the operator has said which agent and folder it goes on with:
  -- what the file says of them is not gone by.
  ALTER TABLE sessions ADD COLUMN taken_in_at INTEGER;
  `,
  },
  {
    sql: `
  -- What is read back of a journal, page by page: all but what merely streamed, which is most of a long one.
  CREATE INDEX events_lasting ON events (session_id, seq) WHERE type NOT IN ('model_delta', 'call_output');
  `,
  },
];
