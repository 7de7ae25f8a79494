import type { EventOf, JournalEvent } from '@shared/events';
import type { Request } from '@shared/requests';
import type { Draft } from './draft';
import { findLast, place } from './draft';
import type { Allowed, CallEntry, CallPhase } from './entries';
import { newCall } from './fold-model';

type CallEvent = EventOf<
  'request_opened' | 'request_settled' | 'call_started' | 'call_output' | 'call_result' | 'tool_denied'
>;

type Change = (call: CallEntry) => Partial<CallEntry>;

interface Step {
  readonly callId: CallEntry['callId'];
  /** Empty where the event does not name it. */
  readonly tool: string;
  readonly change: Change;
}

/** Takes one call, by its id, one step on. */
export function foldCall(draft: Draft, event: JournalEvent, body: CallEvent): void {
  const { callId, tool, change } = stepOf(event, body);
  const found = findLast(draft, ['call'], (entry) => entry.callId === callId);
  // A question has its own entry and its own end; its call is not shown beside it.
  if (found === null && findLast(draft, ['question'], (entry) => entry.callId === callId) !== null) return;
  // A call whose beginning lies before the loaded part of the journal appears with its first event that is loaded.
  const call = found?.entry ?? newCall(event, callId, tool, null);
  const changed = { ...call, tool: call.tool === '' ? tool : call.tool, ...change(call) };
  place(draft, found?.index ?? null, changed, event);
}

function stepOf(event: JournalEvent, body: CallEvent): Step {
  switch (body.type) {
    case 'request_opened':
      return opened(body.request);
    case 'request_settled':
      return settled(body);
    case 'call_started': {
      const { preview, command, allowedBy, callId, tool } = body;
      const change: Change = (call) => ({
        preview,
        command,
        phase: { is: 'running', since: event.at },
        allowed: allowedBy === 'operator' ? (call.allowed ?? { by: 'operator', afterMs: 0 }) : { by: allowedBy },
        output: '',
        outputBytes: 0,
        result: null,
      });
      return { callId, tool, change };
    }
    case 'call_output': {
      const change: Change = (call) => ({ output: call.output + body.text, outputBytes: body.bytes });
      return { callId: body.callId, tool: '', change };
    }
    case 'call_result': {
      const { content, isError, durationMs } = body;
      const change: Change = (call) => ({
        result: { content, isError },
        durationMs,
        phase: call.phase.is === 'denied' ? call.phase : ended(call, isError),
      });
      return { callId: body.callId, tool: body.tool, change };
    }
    case 'tool_denied': {
      const { outcome, reason } = body;
      const change: Change = ({ phase }) => ({
        phase: { is: 'denied', outcome, words: phase.is === 'denied' ? phase.words : '', told: reason },
      });
      return { callId: body.callId, tool: body.tool, change };
    }
  }
}

function opened(request: Request): Step {
  const { callId, tool, id: requestId, expiresAt } = request;
  const phase: CallPhase = { is: 'waiting', requestId, expiresAt };
  const shown = request.kind === 'approval' ? { preview: request.preview, command: request.command } : {};
  return { callId, tool, change: () => ({ ...shown, phase, allowed: null }) };
}

function settled(body: EventOf<'request_settled'>): Step {
  const { outcome, by, reason, answer } = body.settlement;
  if (outcome === 'approved') {
    const allowed: Allowed = by === 'grant' ? { by: 'grant' } : { by: 'operator', afterMs: body.afterMs };
    return { callId: body.callId, tool: '', change: () => ({ phase: { is: 'queued' }, allowed }) };
  }
  const words = answer?.type === 'decline' ? (answer.reason ?? '') : by === 'operator' ? (reason ?? '') : '';
  const phase: CallPhase = { is: 'denied', outcome, words, told: '' };
  return { callId: body.callId, tool: '', change: () => ({ phase }) };
}

function ended(call: CallEntry, isError: boolean): CallPhase {
  if (!isError) return { is: 'ok' };
  return call.phase.is === 'running' || call.phase.is === 'lost' ? { is: 'error' } : { is: 'invalid' };
}
