import { setImmediate } from 'node:timers/promises';
import type { EventOf, JournalEvent, ToolUseBlock } from '@shared/events';
import type { CallId } from '@shared/ids';
import type { Settlement } from '@shared/requests';
import { denialContent } from '../approvals/denial';
import type { ConversationMessage, ToolResultMessage } from '../models/model';

/** A call of the last turn that has no result yet. */
export interface OpenCall {
  readonly block: ToolUseBlock;
  readonly turn: number;
  /**
   * `started`: it may have run already. `new`: nothing of it ran. `refused`: it ran, and what it came to is on record; the
   * operator is to be asked whether it may run again with more.
   */
  readonly progress: 'new' | 'started' | 'refused';
  /** That it was started says the file that the session was taken in from: nothing of it ran here. */
  readonly elsewhere: boolean;
  /** What the last run of it came to that the sandbox kept from something; null where there was none. */
  readonly refused: RefusedRun | null;
  /** How the last request about it was settled since it came so far; null where none was, or by nobody. */
  readonly settled: Settlement | null;
}

/** A run of a command that the sandbox kept from something. */
export interface RefusedRun extends Pick<EventOf<'call_refused'>, 'content' | 'exitCode' | 'durationMs' | 'asks'> {
  /** Which one of its call it is, from 1. */
  readonly number: number;
}

/** A session's conversation, derived from its journal alone: the same for a live run and for one that is resumed. */
export interface Conversation {
  readonly messages: readonly ConversationMessage[];
  /** Calls of the last assistant message without a result, in order; empty when the model has to speak next. */
  readonly open: readonly OpenCall[];
  readonly results: readonly ToolResultMessage[];
  /** Words for the model that wait for the reply that is being made, and for the results of its calls. */
  readonly queued: readonly string[];
  /** A reply is being made: what is said meanwhile comes after it. */
  readonly replying: boolean;
  /** The first message is a summary of what came before it. */
  readonly summarised: boolean;
  readonly turn: number;
}

export const EMPTY_CONVERSATION: Conversation = {
  messages: [],
  open: [],
  results: [],
  queued: [],
  replying: false,
  summarised: false,
  turn: 0,
};

/** Where even the last results were too long: the model would ask for the same again. */
const UNREAD = '\n\nWhat the last calls gave was too long to be read at once. Ask for less of it at a time.';

/** The conversation after one more event. Pure. */
export function foldConversation(before: Conversation, event: Pick<JournalEvent, 'body'>): Conversation {
  const { body } = event;
  switch (body.type) {
    case 'user_message':
      return settle({ ...before, queued: [...before.queued, body.text] });
    case 'notice':
      return body.forModel === true ? settle({ ...before, queued: [...before.queued, body.text] }) : before;
    case 'compacted': {
      const text = `Here is a summary of what came before, in place of it:\n\n${body.summary}`;
      const kept = before.messages.slice(Math.max(0, before.messages.length - body.kept));
      const summary = { role: 'user' as const, text: kept.length === 0 ? `${text}${UNREAD}` : text };
      return { ...before, messages: [summary, ...kept], summarised: true };
    }
    case 'model_started':
      return { ...before, replying: true };
    case 'run_started':
      return settle({
        ...before,
        replying: false,
        open: body.takenIn ? before.open.map(startedElsewhere) : before.open,
      });
    case 'run_ended':
      // A reply that a crash cut off never came.
      return settle({ ...before, replying: false });
    case 'assistant_message': {
      const calls = body.blocks.filter((block) => block.type === 'tool_use');
      const open = calls.map(
        (block): OpenCall => ({
          block,
          turn: body.turn,
          progress: 'new',
          elsewhere: false,
          refused: null,
          settled: null,
        }),
      );
      // A provider refuses an empty message, and an empty one says nothing.
      const spoke = body.blocks.length > 0;
      const messages = spoke
        ? [...before.messages, { role: 'assistant' as const, blocks: body.blocks }]
        : before.messages;
      return settle({ ...before, messages, open, results: [], replying: false, turn: body.turn });
    }
    case 'request_settled': {
      // Whoever was interrupted is asked again.
      const settled = body.settlement.outcome === 'interrupted' ? null : body.settlement;
      return changeOpen(before, body.callId, (call) => ({ ...call, settled }));
    }
    case 'call_started':
      return changeOpen(before, body.callId, (call) => ({
        ...call,
        progress: 'started',
        settled: null,
        ...(call.elsewhere ? { elsewhere: false, refused: null } : {}),
      }));
    case 'call_refused': {
      const { content, exitCode, durationMs, asks } = body;
      return changeOpen(before, body.callId, (call) => {
        const number = (call.refused?.number ?? 0) + 1;
        return {
          ...call,
          progress: 'refused',
          refused: { content, exitCode, durationMs, asks, number },
          settled: null,
        };
      });
    }
    case 'call_result':
      return addResult(before, { callId: body.callId, content: body.content, isError: body.isError });
    case 'tool_denied':
      return addResult(before, { callId: body.callId, content: denialContent(body), isError: false });
    default:
      return before;
  }
}

/** Fewer messages are copied at each new one, of as many as there may be. */
const SETTLED_AT = 100;

/** Folds a whole journal, however long: messages that nothing but a summary changes any more are set apart. */
export class ConversationFold {
  #settled: ConversationMessage[] = [];
  #latest = EMPTY_CONVERSATION;

  add(event: Pick<JournalEvent, 'body'>): void {
    if (event.body.type === 'compacted') this.#gather();
    this.#latest = foldConversation(this.#latest, event);
    const { messages } = this.#latest;
    if (messages.length < SETTLED_AT) return;
    for (const message of messages) this.#settled.push(message);
    this.#latest = { ...this.#latest, messages: [] };
  }

  /** The conversation of all that was added. */
  get conversation(): Conversation {
    this.#gather();
    return this.#latest;
  }

  #gather(): void {
    if (this.#settled.length === 0) return;
    this.#latest = { ...this.#latest, messages: [...this.#settled, ...this.#latest.messages] };
    this.#settled = [];
  }
}

/** The conversation of a whole journal. */
export function conversationOf(events: Iterable<Pick<JournalEvent, 'body'>>): Conversation {
  const fold = new ConversationFold();
  for (const event of events) fold.add(event);
  return fold.conversation;
}

/** So many events are folded in a few milliseconds. */
const AT_ONCE = 100;

/** The same for a journal that is read as it is folded: what else the process has to do comes between. */
export async function readConversation(events: Iterable<Pick<JournalEvent, 'body'>>): Promise<Conversation> {
  const fold = new ConversationFold();
  let count = 0;
  for (const event of events) {
    fold.add(event);
    count += 1;
    if (count % AT_ONCE === 0) await setImmediate();
  }
  return fold.conversation;
}

/** What a file says of a call that had started is no question of this machine, whose answer would let it run. */
function startedElsewhere(call: OpenCall): OpenCall {
  return call.progress === 'new' ? call : { ...call, progress: 'started', elsewhere: true, settled: null };
}

function changeOpen(before: Conversation, callId: CallId, change: (call: OpenCall) => OpenCall): Conversation {
  return { ...before, open: before.open.map((call) => (call.block.id === callId ? change(call) : call)) };
}

function addResult(before: Conversation, result: ToolResultMessage): Conversation {
  const open = before.open.filter(({ block }) => block.id !== result.callId);
  if (open.length === before.open.length) return before;
  return settle({ ...before, open, results: [...before.results, result] });
}

/** When nothing is open any more, the results go into the conversation, and after them what was queued behind them. */
function settle(conversation: Conversation): Conversation {
  if (conversation.replying || conversation.open.length > 0) return conversation;
  const { messages, results, queued } = conversation;
  const answered: ConversationMessage[] = results.length > 0 ? [{ role: 'results', results }] : [];
  const said = queued.map((text): ConversationMessage => ({ role: 'user', text }));
  return { ...conversation, messages: [...messages, ...answered, ...said], results: [], queued: [] };
}
