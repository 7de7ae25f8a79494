import type { EventBody } from '@shared/events';
import type { SessionSummary } from '@shared/sessions';
import type { ActiveState } from '@shared/states';
import type { Durability, Journal, RunRef } from '../sessions/journal';
import { type Conversation, foldConversation } from './conversation';

/** A run's own view of its journal: writes go through it, and its conversation and summary follow from what was written. */
export class RunRecord {
  #state: ActiveState = 'starting';

  constructor(
    readonly ref: RunRef,
    private readonly journal: Journal,
    private conversationSoFar: Conversation,
    private summary: SessionSummary,
  ) {}

  get conversation(): Conversation {
    return this.conversationSoFar;
  }

  get session(): SessionSummary {
    return this.summary;
  }

  /** Appends events; `also` joins the same transaction. */
  append(bodies: readonly EventBody[], durability: Durability = 'durable', also?: () => void): void {
    const { events, session } = this.journal.append(this.ref, bodies, durability, also);
    for (const event of events) this.conversationSoFar = foldConversation(this.conversationSoFar, event);
    this.summary = session;
  }

  /** Says what the run does now, once per change. */
  enter(state: ActiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.append([{ type: 'run_state', state }], 'batched');
  }
}
