import type { EventOf, JournalEvent } from '@shared/events';
import type { Request } from '@shared/requests';
import type { SandboxTier } from '@shared/states';
import type { Draft } from './draft';
import { findLast, place } from './draft';
import type { Allowed, Attempt, CallEntry, CallPhase } from './entries';
import { newCall } from './fold-model';

type CallEvent = EventOf<
  'request_opened' | 'request_settled' | 'call_started' | 'call_refused' | 'call_output' | 'call_result' | 'tool_denied'
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
  const { callId, tool, change } = stepOf(event, body, draft.sandbox);
  const found = findLast(draft, ['call'], (entry) => entry.callId === callId);
  // A question has its own entry and its own end; its call is not shown beside it.
  if (found === null && findLast(draft, ['question'], (entry) => entry.callId === callId) !== null) return;
  // A call whose beginning lies before the loaded part of the journal appears with its first event that is loaded.
  const call = found?.entry ?? newCall(event, callId, tool, null);
  if (found === null) draft.calls.add(call.key);
  const changed = { ...call, tool: call.tool === '' ? tool : call.tool, ...change(call) };
  place(draft, found?.index ?? null, changed, event);
}

function stepOf(event: JournalEvent, body: CallEvent, sandbox: SandboxTier | null): Step {
  switch (body.type) {
    case 'request_opened':
      return opened(body.request);
    case 'request_settled':
      return settled(body);
    case 'call_started': {
      const { preview, command, allowedBy, callId, tool, keptBy, allows = [] } = body;
      const change: Change = (call) => ({
        preview,
        command,
        phase: { is: 'running', since: event.at },
        allowed: allowedBy === 'operator' ? (call.allowed ?? { by: 'operator', afterMs: 0 }) : { by: allowedBy },
        keptBy,
        // What a request showed is what ran; one of an earlier run, that this start had no need of, showed something else.
        ranIn: allowedBy === 'operator' ? (call.shownIn ?? sandbox) : sandbox,
        output: '',
        outputBytes: 0,
        result: null,
        allows,
        starts: call.attempts.length + 1,
      });
      return { callId, tool, change };
    }
    case 'call_refused': {
      const { callId, tool, content, exitCode, durationMs, asks } = body;
      const change: Change = (call) => ({
        phase: { is: 'refused' },
        attempts: [...call.attempts, { content, exitCode, durationMs, allows: call.allows, asks, answer: null }],
        output: '',
        outputBytes: 0,
        allows: [],
        starts: call.attempts.length + 1,
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
  const shown =
    request.kind === 'approval' ? { preview: request.preview, command: request.command, shownIn: request.sandbox } : {};
  // Of what ran, who allowed it stays with it.
  return {
    callId,
    tool,
    change: (call) => ({ ...shown, phase, allowed: call.attempts.length > 0 ? call.allowed : null }),
  };
}

function settled(body: EventOf<'request_settled'>): Step {
  const { outcome, by, reason, answer } = body.settlement;
  const { callId, afterMs } = body;
  const words = answer?.type === 'decline' ? (answer.reason ?? '') : by === 'operator' ? (reason ?? '') : '';
  const answered = (call: CallEntry) => answerLast(call.attempts, { outcome, words, afterMs });
  if (outcome === 'approved') {
    const allowed: Allowed = by === 'grant' ? { by: 'grant' } : { by: 'operator', afterMs };
    const change: Change = (call) => ({ phase: { is: 'queued' }, allowed, attempts: answered(call) });
    return { callId, tool: '', change };
  }
  const phase: CallPhase = { is: 'denied', outcome, words, told: '' };
  // A call that has run stays one that ran, whatever becomes of the question whether it may run again.
  const change: Change = (call) =>
    call.attempts.length === 0 ? { phase } : { phase: { is: 'refused' }, attempts: answered(call) };
  return { callId, tool: '', change };
}

function answerLast(attempts: CallEntry['attempts'], answer: Attempt['answer']): readonly Attempt[] {
  return attempts.map((attempt, index) => (index === attempts.length - 1 ? { ...attempt, answer } : attempt));
}

function ended(call: CallEntry, isError: boolean): CallPhase {
  if (!isError) return { is: 'ok' };
  const ran = call.phase.is === 'running' || call.phase.is === 'lost' || call.phase.is === 'refused';
  return ran ? { is: 'error' } : { is: 'invalid' };
}
