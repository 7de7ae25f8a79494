import type { Push } from '@shared/bridge';
import type { JournalEvent } from '@shared/events';
import type { SessionId } from '@shared/ids';
import type { SessionSummary } from '@shared/sessions';
import type { Grants } from '../approvals/grants';
import type { Inbox } from '../approvals/inbox';
import type { Appended, Journal } from '../sessions/journal';

/** One frame at 30 a second: what several runs stream reaches the window in one message. */
const INTERVAL_MS = 33;

interface PushParts {
  readonly inbox: Inbox;
  readonly grants: Grants;
  readonly send: (push: Push) => void;
}

/** Tells the window what changed: events of the sessions that it watches, summaries of all, and the inbox at once. */
export class Pushes {
  #watched = new Set<SessionId>();
  #events: JournalEvent[] = [];
  readonly #sessions = new Map<SessionId, SessionSummary>();
  readonly #grantsOf = new Map<SessionId, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: PushParts) {}

  follow(journal: Journal): void {
    journal.onAppend((appended) => this.#appended(appended));
    this.parts.inbox.onChange(() => this.#inboxChanged());
  }

  /** Chooses the sessions whose events are pushed. */
  watch(sessionIds: readonly SessionId[]): void {
    this.#watched = new Set(sessionIds);
  }

  #appended({ events, session }: Appended): void {
    if (events.some(({ body }) => body.type.startsWith('grant_'))) this.#grantsOf.set(session.id, session.agentId);
    this.#sessions.set(session.id, session);
    if (this.#watched.has(session.id)) this.#events.push(...events);
    this.#timer ??= setTimeout(() => this.#flush(), INTERVAL_MS);
  }

  /** Whatever goes wrong with the rest, what waits for the operator is told. */
  #inboxChanged(): void {
    try {
      this.#flush();
    } finally {
      this.parts.send({ type: 'inbox', requests: this.parts.inbox.open() });
    }
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events;
    const sessions = [...this.#sessions.values()];
    const grantsOf = [...this.#grantsOf];
    this.#events = [];
    this.#sessions.clear();
    this.#grantsOf.clear();
    if (events.length > 0) this.parts.send({ type: 'events', events });
    if (sessions.length > 0) this.parts.send({ type: 'sessions', sessions });
    for (const [sessionId, agentId] of grantsOf) {
      this.parts.send({ type: 'grants', sessionId, grants: this.parts.grants.list(sessionId, agentId) });
    }
  }
}
