import { allAllowanceWords } from '@shared/allowances';
import type { JournalEvent, Usage } from '@shared/events';
import type { Request } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import { isTerminal, type RunState } from '@shared/states';
import { sumOf } from './sums';

/** Time counts as work in these states; waiting for the operator does not. */
function works(state: RunState): boolean {
  return !isTerminal(state) && state !== 'waiting';
}

/**
 * A session's summary after one more event. Pure: the list and the heads of pages are derived from the journal, and from
 * nothing else. The open requests are counted by the store, which knows them.
 */
export function foldSummary(before: SessionSummary, event: JournalEvent): SessionSummary {
  const { body, at } = event;
  // The time between a crash and the next start is nobody's work, and nobody's waiting.
  const crashed = body.type === 'run_ended' && body.state === 'interrupted';
  const elapsed = crashed ? 0 : Math.max(0, at - before.updatedAt);
  const next: SessionSummary = {
    ...before,
    updatedAt: Math.max(before.updatedAt, at),
    workingMs: sumOf(before.workingMs, works(before.state) ? elapsed : 0),
    waitingMs: sumOf(before.waitingMs, before.state === 'waiting' ? elapsed : 0),
  };
  switch (body.type) {
    case 'run_started':
      return {
        ...next,
        state: 'starting',
        detail: 'starting',
        model: body.model,
        mode: body.mode,
        workspace: body.workspace,
      };
    case 'run_state':
      return { ...next, state: body.state, ...(body.state === 'thinking' ? { detail: 'thinking' } : {}) };
    case 'assistant_message': {
      return { ...next, turns: sumOf(before.turns, 1), ...spent(before, body.usage) };
    }
    case 'compacting':
      return { ...next, detail: 'summarising older turns' };
    case 'compacted':
    case 'notice':
      return { ...next, ...spent(before, body.usage) };
    case 'request_opened':
      return { ...next, detail: asksFor(body.request) };
    case 'request_settled':
      return body.settlement.outcome === 'approved' ? { ...next, approved: sumOf(before.approved, 1) } : next;
    case 'call_started':
      return { ...next, detail: oneLine(plain(body.command.map((token) => token.segments))) };
    case 'tool_denied':
      return { ...next, detail: `${body.tool}: ${body.outcome}`, denied: sumOf(before.denied, 1) };
    case 'run_ended':
      return { ...next, state: body.state, detail: oneLine(body.reason), ...spent(before, body.usage) };
    default:
      return next;
  }
}

function spent(
  { tokens, costUsd }: SessionSummary,
  usage: Usage | undefined,
): Pick<SessionSummary, 'tokens' | 'costUsd'> {
  if (usage === undefined) return { tokens, costUsd };
  return {
    tokens: sumOf(tokens, usage.input, usage.output, usage.cacheRead, usage.cacheWrite),
    costUsd: usage.costUsd === null ? costUsd : (costUsd ?? 0) + usage.costUsd,
  };
}

function asksFor(request: Request): string {
  if (request.kind === 'question') return oneLine(`asks you: ${request.question}`);
  const what = plain(request.command.map((token) => token.segments));
  const { gatedBy } = request;
  if (gatedBy.because !== 'wider') return oneLine(`wants to run ${what}`);
  return oneLine(`wants to ${allAllowanceWords(gatedBy.allows)}, and to run again: ${what}`);
}

function plain(rows: readonly (readonly { readonly text: string }[])[]): string {
  return rows.map((segments) => segments.map((segment) => segment.text).join('')).join(' ');
}

/** Long enough for a sidebar and a notification, short enough for a row in the list. */
export const DETAIL_LENGTH = 160;

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > DETAIL_LENGTH ? `${line.slice(0, DETAIL_LENGTH - 1)}…` : line;
}
