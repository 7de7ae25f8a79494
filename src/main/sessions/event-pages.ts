import type { BridgeInput, BridgeOutput } from '@shared/bridge';
import type { EventType } from '@shared/events';
import { mergeStreamed } from '@shared/streams';
import type { SqliteDatabase } from './database';

import { type EventRow, eventOfRow, parseEventRow } from './rows';

type EventsInput = BridgeInput<'readEvents'>;

/** A page ends with the event that makes it longer than this, so that none keeps the main process for a frame. */
const PAGE_LENGTH = 262_144;

/** Of all but what merely streamed, as the index `events_lasting` has it: only in these words does SQLite use it. */
export const LASTING = "type NOT IN ('model_delta', 'call_output')";

/** What a stream begins with, what streams then, and what makes it superfluous because it has all of it or voids it. */
const STREAMS: Partial<Record<EventType, { readonly type: EventType; readonly settledBy: readonly EventType[] }>> = {
  model_started: { type: 'model_delta', settledBy: ['assistant_message', 'model_retry'] },
  call_started: { type: 'call_output', settledBy: ['call_refused', 'call_result', 'tool_denied'] },
};
const MARKS: readonly EventType[] = [
  'run_started',
  'model_started',
  'assistant_message',
  'model_retry',
  'call_started',
  'call_refused',
  'call_result',
  'tool_denied',
  'run_ended',
];

interface Mark {
  readonly seq: number;
  readonly type: string;
}

/** Events with this seq and later, before that one. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Pages of one session's journal, for reading. What merely streamed is left out where the whole reply or result stands on
 * record: in a long session that is most of it. Where there is none, because it still streams or was cut off, the pieces
 * that follow one another come as one event, with the seq of the last.
 */
export class EventPages {
  readonly #statements;

  constructor(database: SqliteDatabase) {
    const lasting = `FROM events INDEXED BY events_lasting WHERE session_id = @id AND ${LASTING}`;
    const marks = `type IN (${MARKS.map((type) => `'${type}'`).join(', ')})`;
    this.#statements = {
      before: database.prepare(`SELECT * ${lasting} AND seq < @seq ORDER BY seq DESC`),
      after: database.prepare(`SELECT * ${lasting} AND seq > @seq ORDER BY seq`),
      markBefore: database.prepare(`SELECT seq, type ${lasting} AND seq < @seq AND ${marks} ORDER BY seq DESC LIMIT 1`),
      markAfter: database.prepare(`SELECT seq, type ${lasting} AND seq > @seq AND ${marks} ORDER BY seq LIMIT 1`),
      streamed: database.prepare(`SELECT * FROM events INDEXED BY events_session
        WHERE session_id = @id AND seq >= @from AND seq < @to AND type = @type ORDER BY seq`),
    };
  }

  /** At most `limit` events that last, fewer where they are long, and what streams among them. */
  read({ sessionId: id, from, limit }: EventsInput): BridgeOutput<'readEvents'> {
    const forward = from.at === 'after';
    const seq = from.at === 'end' ? Number.MAX_SAFE_INTEGER : from.seq;
    const { rows, hasMore } = take(this.#statements[forward ? 'after' : 'before'].iterate({ id, seq }), limit);
    if (!forward) rows.reverse();
    const [first, last] = [rows[0]?.seq, rows.at(-1)?.seq];
    const range: Range = forward
      ? { from: seq + 1, to: hasMore && last !== undefined ? last + 1 : Number.MAX_SAFE_INTEGER }
      : { from: hasMore && first !== undefined ? first : 0, to: seq };
    const streamed = this.#openStreams(id, rows, range).flatMap(({ type, ...part }) =>
      this.#statements.streamed.all({ id, type, ...part }).map(parseEventRow),
    );
    const events = [...rows, ...streamed].sort((a, b) => a.seq - b.seq).map(eventOfRow);
    return { events: mergeStreamed(events), hasMore };
  }

  /** The parts of a range in which something streamed that nothing has settled. */
  #openStreams(id: string, rows: readonly EventRow[], range: Range): (Range & { readonly type: EventType })[] {
    const marks: Mark[] = rows.filter(({ type }) => MARKS.includes(type as EventType));
    const before = this.#statements.markBefore.get({ id, seq: range.from }) as Mark | undefined;
    if (before !== undefined) marks.unshift(before);
    const last = marks.at(-1);
    if (last !== undefined && streamAt(last) !== undefined) {
      const after = this.#statements.markAfter.get({ id, seq: last.seq }) as Mark | undefined;
      if (after !== undefined) marks.push(after);
    }
    return marks.flatMap((mark, index) => {
      const stream = streamAt(mark);
      const next = marks[index + 1];
      if (stream === undefined || (stream.settledBy as readonly string[]).includes(next?.type ?? '')) return [];
      const from = Math.max(mark.seq, range.from);
      const to = Math.min(next?.seq ?? Number.MAX_SAFE_INTEGER, range.to);
      return from < to ? [{ type: stream.type, from, to }] : [];
    });
  }
}

function streamAt({ type }: Mark) {
  return STREAMS[type as EventType];
}

/** The first rows, as many as a page has room for. */
function take(rows: Iterable<unknown>, limit: number): { readonly rows: EventRow[]; readonly hasMore: boolean } {
  const taken: EventRow[] = [];
  let length = 0;
  for (const row of rows) {
    if (taken.length === limit || length > PAGE_LENGTH) return { rows: taken, hasMore: true };
    const event = parseEventRow(row);
    taken.push(event);
    length += event.body.length;
  }
  return { rows: taken, hasMore: false };
}
