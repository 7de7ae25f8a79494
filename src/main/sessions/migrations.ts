/**
 * The schema's history: entry N brings a file of version N to N + 1. Entries are never edited once released; a change is
 * a new entry. Events are only ever inserted, and go only with their whole session.
 */
export const MIGRATIONS: readonly string[] = [
  `
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
];
