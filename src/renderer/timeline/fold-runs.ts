import type { EventOf, JournalEvent } from '@shared/events';
import type { Draft } from './draft';
import { findLast } from './draft';
import type { CallEntry, CallPhase, Entry } from './entries';

type RunEvent = EventOf<
  'user_message' | 'run_started' | 'run_ended' | 'notice' | 'grant_given' | 'grant_used' | 'grant_revoked'
>;

export function foldRun(draft: Draft, event: JournalEvent, body: RunEvent): void {
  const base = { key: `event:${event.seq}`, at: event.at, runId: event.runId };
  switch (body.type) {
    case 'user_message':
      draft.entries.push({ ...base, kind: 'user', text: body.text });
      return;
    case 'notice':
      draft.entries.push({ ...base, kind: 'notice', level: body.level, text: body.text });
      return;
    case 'run_started': {
      draft.runs += 1;
      draft.sandbox = body.sandbox;
      // The first run of a session starts with the session: a line that says so would only be noise.
      if (!body.resumed && draft.runs === 1) return;
      const { resumed, agent, model, mode } = body;
      draft.entries.push({ ...base, kind: 'run-start', resumed, agent, model, mode });
      return;
    }
    case 'run_ended':
      endRun(draft);
      draft.entries.push({ ...base, kind: 'run-end', state: body.state, reason: body.reason });
      return;
    case 'grant_given':
      draft.grants.set(body.grant.id, body.grant.covers);
      draft.entries.push({ ...base, kind: 'grant', what: 'given', covers: body.grant.covers });
      return;
    case 'grant_revoked': {
      const what = body.by === 'operator' ? 'revoked by you' : 'dropped by Sayso';
      draft.entries.push({ ...base, kind: 'grant', what, covers: draft.grants.get(body.grantId) ?? '' });
      return;
    }
    case 'grant_used': {
      const call = findLast(draft, ['call'], (entry) => entry.callId === body.callId);
      if (call !== null) draft.entries[call.index] = { ...call.entry, allowed: { by: 'grant' } };
    }
  }
}

/** Nothing goes on after the end of a run: what was still open is shown as what it then is. */
function endRun(draft: Draft): void {
  for (let index = draft.entries.length - 1; index >= 0; index -= 1) {
    const entry = draft.entries[index];
    if (entry === undefined) continue;
    if (entry.kind === 'asking') draft.entries.splice(index, 1);
    else draft.entries[index] = atRest(entry);
  }
}

function atRest(entry: Entry): Entry {
  if ((entry.kind === 'agent' || entry.kind === 'thinking') && entry.live) return { ...entry, live: false };
  if (entry.kind !== 'call') return entry;
  const phase = phaseAtRest(entry);
  return phase === entry.phase ? entry : { ...entry, phase };
}

function phaseAtRest({ phase, attempts }: CallEntry): CallPhase {
  // What had run already is not made undone by a question that stayed open.
  if (attempts.length > 0 && (phase.is === 'queued' || phase.is === 'waiting')) return { is: 'refused' };
  if (phase.is === 'queued') return { is: 'unstarted' };
  if (phase.is === 'running') return { is: 'lost' };
  if (phase.is === 'waiting') return { is: 'denied', outcome: 'interrupted', words: '', told: '' };
  return phase;
}
