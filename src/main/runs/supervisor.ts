import { randomUUID } from 'node:crypto';
import type { EventBody } from '@shared/events';
import { RunId, SessionId } from '@shared/ids';
import type { SessionSummary } from '@shared/sessions';
import { type ApprovalMode, isResumable, isTerminal } from '@shared/states';
import type { Grants } from '../approvals/grants';
import type { Inbox } from '../approvals/inbox';
import { derivedTitle } from '../sessions/derived-title';
import type { Journal, RunRef } from '../sessions/journal';
import type { SessionReader } from '../sessions/reader';
import { isUntitled, titleOf } from '../sessions/title';
import { AgentsInUse } from './agents-in-use';
import { conversationOf, readConversation } from './conversation';
import { checkGoingOn, type GoingOn, goneFrom, hasEnded, takenIn, uncountedGrants } from './going-on';
import type { Holders } from './holders';
import { LateEnds } from './late-ends';
import type { LiveOriginals } from './live-originals';
import { Preparations } from './preparations';
import type { PreparedAgent, Preparer } from './prepare-agent';
import { recoverInterrupted } from './recovery';
import { Refusal } from './refusal';
import { Run } from './run';
import { RunRecord } from './run-record';
import { newSession, runStarted, warning } from './run-start';

export interface StartInput {
  readonly agentId: string;
  readonly prompt: string;
  readonly workspace: string;
  /** null: as the agent file says. */
  readonly mode: ApprovalMode | null;
}

export interface SupervisorParts {
  readonly journal: Journal;
  readonly reader: SessionReader;
  readonly inbox: Inbox;
  readonly grants: Grants;
  readonly preparer: Preparer;
  readonly originals: LiveOriginals;
  readonly holders: Holders;
  readonly hasOperator: () => boolean;
  /** A run could not even put its end on record. */
  readonly onStoreError: (error: unknown) => void;
}

interface Live {
  readonly run: Run;
  /** Settles when nothing of it holds the session any more. Never rejects. */
  readonly over: Promise<void>;
}

/** Every run of the app: starts them, finds them by their session, ends them. At most one a session. */
export class Supervisor {
  readonly #runs = new Map<SessionId, Live>();
  readonly #preparations = new Preparations();
  readonly #agents: AgentsInUse;
  readonly #late: LateEnds;
  /**
   * Where and since when each session runs, in this life of the app: what is there before is the operator's. Not what
   * stands on record, which may come from another machine.
   */
  readonly #began = new Map<SessionId, { readonly workspace: string; readonly at: number }>();
  #closing = false;

  constructor(private readonly parts: SupervisorParts) {
    this.#agents = new AgentsInUse(parts.preparer, parts.onStoreError);
    this.#late = new LateEnds(parts);
  }

  get activeRuns(): number {
    return this.#runs.size;
  }

  /**
   * Starts a run in a new session; resolves when its start is on record.
   * @throws Refusal when the agent, its key or the workspace will not do: then nothing was started
   */
  start(input: StartInput): Promise<SessionId> {
    const since = Date.now();
    return this.#agents.with({ ...input, since }, (prepared) => {
      const sessionId = this.#start(input, prepared);
      this.#began.set(sessionId, { workspace: prepared.context.workspace, at: since });
      return sessionId;
    });
  }

  #start({ agentId, prompt }: StartInput, prepared: PreparedAgent): SessionId {
    this.#refuseWhenClosing();
    const sessionId = SessionId.parse(randomUUID());
    const ref: RunRef = { sessionId, runId: RunId.parse(randomUUID()) };
    const { session, events } = this.parts.journal.createSession(
      newSession(sessionId, titleOf(prompt), agentId, prepared),
      ref.runId,
      [runStarted(prepared, 'anew'), ...prepared.warnings.map(warning), { type: 'user_message', text: prompt }],
      // In one step, or another process that starts just now would take it for one that a crash has left.
      () => this.parts.holders.hold(sessionId),
    );
    this.#run(new RunRecord(ref, this.parts.journal, conversationOf(events), session), prepared);
    return sessionId;
  }

  /** Whether the session has a run in this process, or one that is being prepared. */
  isBusy(sessionId: SessionId): boolean {
    return this.#runs.has(sessionId) || this.#preparations.has(sessionId) || this.#late.has(sessionId);
  }

  /**
   * Begins anew: a session of the same agent in the same workspace, without a word said in it, that remembers where it
   * comes from. The old one stays as it is, but for its remembered approvals, which are dropped.
   * @throws Refusal when it runs, or its agent or workspace will not do
   */
  async clear(sessionId: SessionId): Promise<SessionId> {
    const { id, title, agentId, workspace, mode } = this.#session(sessionId);
    if (this.isBusy(id)) throw new Refusal('conflict', 'This session is running.', 'Stop it first.');
    if (this.parts.reader.isTakenIn(id)) {
      throw new Refusal(
        'refused',
        'This session was taken in from a file, and has not gone on here yet.',
        'Send it a message first, or start a new run.',
      );
    }
    return this.#agents.with({ agentId, workspace, mode }, (prepared) => {
      this.#refuseWhenClosing();
      const newId = SessionId.parse(randomUUID());
      this.parts.journal.createSession(
        {
          ...newSession(newId, derivedTitle(title, 'cleared'), agentId, prepared),
          origin: { kind: 'clear', sessionId: id, title, seq: null },
        },
        RunId.parse(randomUUID()),
        [
          { type: 'notice', level: 'info', text: 'Cleared: what follows is a new conversation.' },
          { type: 'run_ended', state: 'completed', reason: 'nothing was said yet' },
        ],
        // It may have been deleted meanwhile, and then its title goes nowhere.
        () => this.#session(id),
      );
      this.parts.grants.dropSession(id);
      return newId;
    });
  }

  /**
   * Stops the session's run, and the one that is being prepared; nothing where it has none.
   * @throws Refusal where another process runs it
   */
  async stop(sessionId: SessionId): Promise<void> {
    this.#refuseWhenLate(sessionId);
    // Its run first: whatever became of the session on record, what runs can be stopped.
    const live = this.#runs.get(sessionId);
    live?.run.stop();
    if (this.#preparations.stop(sessionId) || live !== undefined) return;
    this.#session(sessionId);
    await this.parts.holders.refuseForeign(sessionId, 'It was not stopped.');
  }

  /**
   * Says something to a session: to its run where it has one, else as the beginning of a new run. One that was stopped and
   * winds down reads nothing any more: the new one begins when it has ended.
   */
  async send(sessionId: SessionId, text: string, how: GoingOn): Promise<void> {
    const live = this.#runs.get(sessionId);
    if (live?.run.isEnding === false) {
      live.run.say(text);
      return;
    }
    const session = this.#session(sessionId);
    await this.#continue(session, [{ type: 'user_message', text }], how);
    if (isUntitled(session)) this.parts.journal.rename(sessionId, titleOf(text));
  }

  /**
   * Goes on with a session that was interrupted, stopped, failed or out of budget, or that a process ran which has
   * ended without a word.
   */
  async resume(sessionId: SessionId, how: GoingOn): Promise<void> {
    const session = this.#session(sessionId);
    if (!this.#runs.has(sessionId) && isTerminal(session.state) && !isResumable(session.state)) throw hasEnded();
    await this.#continue(session, [], how);
  }

  /** Interrupts every run and waits until all of them are on record as ended. No run starts after this. */
  async close(): Promise<void> {
    this.#closing = true;
    const runs = [...this.#runs.values()];
    for (const { run } of runs) run.interrupt();
    await Promise.all(runs.map(({ over }) => over));
    this.#late.close();
    await this.#agents.close();
  }

  async #continue(session: SessionSummary, said: readonly EventBody[], how: GoingOn): Promise<void> {
    const { id: sessionId, mode } = session;
    const live = this.#runs.get(sessionId);
    if (live?.run.isEnding === false) throw new Refusal('conflict', 'This session is running already.');
    this.#refuseWhenLate(sessionId);
    if (how.place === null && this.parts.reader.isTakenIn(sessionId)) throw takenIn();
    await this.#preparations.during(sessionId, async (signal) => {
      await live?.over;
      this.#refuseWhenOver(signal);
      this.#refuseWhenLate(sessionId);
      try {
        const { agentId, workspace } = how.place ?? session;
        const began = this.#began.get(sessionId);
        const since = began?.workspace === workspace ? began.at : Date.now();
        await this.#agents.with({ agentId, workspace, mode, since, signal }, (prepared) =>
          this.#goOn(sessionId, prepared, said, how, signal),
        );
        this.#began.set(sessionId, { workspace, at: since });
      } catch (error) {
        throw how.place === null ? goneFrom(error) : error;
      }
    });
  }

  async #goOn(
    sessionId: SessionId,
    prepared: PreparedAgent,
    said: readonly EventBody[],
    how: GoingOn,
    signal: AbortSignal,
  ): Promise<void> {
    const { journal, reader, inbox, grants, holders } = this.parts;
    let held = false;
    try {
      this.#refuseWhenOver(signal);
      await holders.take(sessionId);
      held = true;
      this.#refuseWhenOver(signal);
      // Whoever ran it before may have ended without a word.
      recoverInterrupted(reader, journal, inbox, (id) => id === sessionId);
      const session = this.#session(sessionId);
      if (said.length === 0 && session.state === 'completed') throw hasEnded();
      const change = checkGoingOn(session, reader.fingerprint(sessionId), prepared, how);
      // It may be long; whoever asked to close or to stop meanwhile is heard.
      const before = await readConversation(reader.conversationEvents(sessionId));
      this.#refuseWhenOver(signal);
      if (change.dropGrants) grants.dropSession(sessionId);
      const ref: RunRef = { sessionId, runId: RunId.parse(randomUUID()) };
      const record = new RunRecord(ref, journal, before, session);
      const uncounted = uncountedGrants(grants.standing(sessionId), prepared);
      const notices = [...change.notices, ...uncounted, ...prepared.warnings].map(warning);
      const resumed = reader.isTakenIn(sessionId) ? 'taken in' : 'resumed';
      record.append([runStarted(prepared, resumed), ...notices, ...said], 'durable', () => {
        const { settings, fingerprint } = prepared;
        const { agentId, agentName: agent } = settings;
        journal.setAgent(sessionId, { agentId, agent, fingerprint: JSON.stringify(fingerprint) });
      });
      const { open, messages } = record.conversation;
      if (open.length === 0 && messages.at(-1)?.role === 'assistant') {
        record.append([{ type: 'notice', level: 'info', text: 'Go on where you left off.', forModel: true }]);
      }
      this.#run(record, prepared);
    } catch (error) {
      if (held) this.#letGo(sessionId, error);
      throw error;
    }
  }

  /** What was begun of a run that cannot start: where the store failed, that may stand in it already. */
  #letGo(sessionId: SessionId, error: unknown): void {
    if (error instanceof Refusal) this.parts.holders.release(sessionId);
    else this.#late.add(sessionId);
  }

  #run(record: RunRecord, prepared: PreparedAgent): void {
    const { inbox, grants, originals, holders, hasOperator, onStoreError } = this.parts;
    const { settings, tools, context, model, redactor } = prepared;
    const run = new Run({ record, settings, tools, context, model, redactor, inbox, grants, originals, hasOperator });
    const { sessionId } = record.ref;
    const over = run.ended
      .then(() => holders.release(sessionId))
      .catch((error: unknown) => {
        this.#late.add(sessionId);
        onStoreError(error);
      })
      .finally(() => this.#runs.delete(sessionId));
    this.#runs.set(sessionId, { run, over });
    this.#agents.serve(prepared, record, run);
  }

  #session(sessionId: SessionId): SessionSummary {
    const session = this.parts.reader.session(sessionId);
    if (session === null) throw new Refusal('not-found', 'There is no such session.');
    return session;
  }

  #refuseWhenLate(sessionId: SessionId): void {
    if (!this.#late.has(sessionId)) return;
    throw new Refusal(
      'conflict',
      'Its run is over, and that could not be put on record yet.',
      'It is tried every two seconds: make room on the disk, or close what has the store open.',
    );
  }

  /** @throws Refusal when what was being prepared is to start nothing any more */
  #refuseWhenOver(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#refuseWhenClosing();
  }

  #refuseWhenClosing(): void {
    if (this.#closing) throw new Refusal('refused', 'Sayso is closing.');
  }
}
