import type { EventBody, EventType, JournalEvent } from './events';

/**
 * The same events with the pieces of one stream that follow one another as one piece, with the seq and the time of the
 * last. What is folded from it is the same. Pure.
 */
export function mergeStreamed(events: readonly JournalEvent[]): JournalEvent[] {
  const merged: JournalEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    const body = last === undefined || last.runId !== event.runId ? null : joined(last.body, event.body);
    if (body === null) merged.push(event);
    else merged[merged.length - 1] = { ...event, body };
  }
  return merged;
}

/** Two pieces as one; null where they are not of one stream. */
function joined(a: EventBody, b: EventBody): EventBody | null {
  if (a.type === 'model_delta' && b.type === 'model_delta') {
    const same = a.turn === b.turn && a.attempt === b.attempt && a.kind === b.kind;
    return same ? { ...b, text: a.text + b.text } : null;
  }
  if (a.type !== 'call_output' || b.type !== 'call_output' || a.callId !== b.callId) return null;
  return { ...b, text: a.text + b.text };
}

/** What has all that a call printed, or makes it superfluous. */
const SETTLES_CALL: ReadonlySet<EventType> = new Set(['call_refused', 'call_result', 'tool_denied']);

/** The same events without what streamed of a reply or a call that comes whole, or was made anew, later on. Pure. */
export function withoutSettled(events: readonly JournalEvent[]): JournalEvent[] {
  const kept: JournalEvent[] = [];
  const calls = new Set<string>();
  let reply = false;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined) continue;
    const { body } = event;
    if (body.type === 'model_delta' && reply) continue;
    if (body.type === 'call_output' && calls.has(body.callId)) continue;
    kept.push(event);
    if (body.type === 'assistant_message' || body.type === 'model_retry') reply = true;
    else if (body.type === 'model_started' || body.type === 'run_ended') reply = false;
    else if (SETTLES_CALL.has(body.type) && 'callId' in body) calls.add(body.callId);
    else if (body.type === 'call_started') calls.delete(body.callId);
  }
  return kept.reverse();
}
