import type { EventBody } from '@shared/events';
import type { LanguageModel, ModelReply, ModelRequest } from '../models/model';
import { Batcher } from './batcher';
import type { RunRecord } from './run-record';

/** Streamed text is put on record, and so shown, this often. */
const STREAM_INTERVAL_MS = 40;

type Delta = Extract<EventBody, { type: 'model_delta' }>;

/** Asks the model for one turn, with what it streams on record as it comes, and its whole reply on record at the end. */
export async function askModel(
  model: LanguageModel,
  request: ModelRequest,
  turn: number,
  record: RunRecord,
  signal: AbortSignal,
): Promise<ModelReply> {
  let attempt = 1;
  const stream = new Batcher<Delta>(STREAM_INTERVAL_MS, (deltas) => record.append(joined(deltas), 'batched'));
  record.append([{ type: 'model_started', turn, attempt }], 'batched');
  try {
    const reply = await model.reply(
      request,
      (progress) => {
        if (signal.aborted) return;
        if (progress.type === 'delta') {
          stream.add({ type: 'model_delta', turn, attempt, kind: progress.kind, text: progress.text });
        } else if (progress.type === 'retry') {
          stream.discard();
          record.append([{ type: 'model_retry', turn, attempt: progress.attempt, reason: progress.reason }], 'batched');
        } else if (progress.attempt > attempt) {
          attempt = progress.attempt;
          record.append([{ type: 'model_started', turn, attempt }], 'batched');
        }
      },
      signal,
    );
    signal.throwIfAborted();
    stream.flush();
    const { blocks, stopReason, usage } = reply;
    record.append([{ type: 'assistant_message', turn, blocks: [...blocks], stopReason, usage }]);
    return reply;
  } finally {
    stream.flush();
  }
}

/** Neighbouring pieces of one kind become one event. */
function joined(deltas: readonly Delta[]): Delta[] {
  const events: Delta[] = [];
  for (const delta of deltas) {
    const last = events.at(-1);
    if (last !== undefined && last.kind === delta.kind && last.attempt === delta.attempt) {
      events[events.length - 1] = { ...last, text: last.text + delta.text };
    } else {
      events.push(delta);
    }
  }
  return events;
}
