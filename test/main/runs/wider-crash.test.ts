import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import { describe, expect, it } from 'vitest';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import type { RunRef } from '../../../src/main/sessions/journal';
import { openStore, type Store, wholeJournal } from '../../support/store';
import { confinable } from '../sandbox/confined';
import { again, makePlace, only, type Place, runIn } from './wider';

type When = 'before' | 'after';

/**
 * Ends the store's writing at one of its writes, as a crash does: before it is on record, or after, and then the process
 * does nothing more, for nothing that follows a write goes on without it. Tells whether it came to that.
 */
function crashAt({ journal }: Store, number: number, when: When): () => boolean {
  const append = journal.append.bind(journal);
  let writes = 0;
  let over = false;
  const end = (): never => {
    over = true;
    throw new Error('the process is gone');
  };
  journal.append = (ref, bodies, durability, also) => {
    // What merely streams is written by a clock, and decides nothing.
    if (durability === 'batched')
      return over ? { events: [], session: readSession(ref.sessionId) } : append(ref, bodies, durability, also);
    writes += 1;
    if (over || (writes === number && when === 'before')) end();
    const appended = append(ref, bodies, durability, also);
    return writes === number ? end() : appended;
  };
  const readSession = (id: Parameters<typeof append>[0]['sessionId']) =>
    append({ sessionId: id, runId: again({ sessionId: id }).runId }, [], 'batched').session;
  return () => over;
}

/** Approves whatever may run again with more; of what may have run it says that it is to be left. */
function attachOperator(store: Store): () => void {
  const answer = () => {
    for (const request of store.inbox.open()) {
      const given =
        request.kind === 'approval'
          ? ({ type: 'approve', remember: null } as const)
          : ({ type: 'select', selected: 0 } as const);
      try {
        store.inbox.answer(request.id, request.digest, given);
      } catch {
        // The process is gone, or it was answered already.
      }
    }
  };
  return store.inbox.onChange(() => setImmediate(answer));
}

const COMMAND = (place: Place) => `echo ran >> trace; echo new > ${place.outside}/file`;
const runsOf = async (place: Place) =>
  (await readFile(join(place.workspace, 'trace'), 'utf8').catch(() => '')).split('\n').filter(Boolean).length;

/** What must hold of a session, whenever it was killed: what ran was allowed, and nothing that it came to is lost. */
function problemsOf(events: readonly EventBody[], runs: number): string[] {
  const started = only(events, 'call_started');
  const wider = started.filter(({ allows }) => allows !== undefined);
  const opened = only(events, 'request_opened').map(({ request }) => request);
  const approved = only(events, 'request_settled').filter(({ requestId, settlement }) => {
    const request = opened.find(({ id }) => id === requestId);
    return settlement.outcome === 'approved' && request?.kind === 'approval' && request.gatedBy.because === 'wider';
  });
  const results = only(events, 'call_result');
  const [result] = results;
  const refused = only(events, 'call_refused').length > 0;
  return [
    ...(runs > started.length ? [`it ran ${runs} times, and was started ${started.length} times`] : []),
    ...(wider.length > approved.length
      ? [`it ran with more ${wider.length} times, approved ${approved.length} times`]
      : []),
    ...(started.length - wider.length > 1 ? ['its first run was repeated'] : []),
    ...(results.length === 1 ? [] : [`it has ${results.length} results`]),
    ...(refused && !/"exit_code":(?:2|0)/.test(result?.content ?? '') ? ['what it came to is lost'] : []),
  ];
}

const eventsOf = (store: Store, { sessionId }: RunRef) => wholeJournal(store, sessionId).map(({ body }) => body);

/** Resumes a session that had not come to its end; how it ended then. */
async function goOn(store: Store, place: Place, ref: RunRef) {
  const state = store.reader.session(ref.sessionId)?.state;
  if (state === 'completed') return state;
  return runIn(store, place, [COMMAND(place)], { ref: again(ref), settings: { mode: 'auto' } }).run.ended;
}

describe.runIf(confinable)('a command that may run again with more', () => {
  it('is killed at any of its writes, and then repeats nothing, loses nothing and runs nothing unapproved', async () => {
    const ends: string[] = [];
    for (let number = 1, crashed = true; crashed; number += 1) {
      for (const when of ['before', 'after'] as const) {
        const place = await makePlace();
        const store = await openStore();
        const { run, ref } = runIn(store, place, [COMMAND(place)], { settings: { mode: 'auto' } });
        const detach = attachOperator(store);
        const isCrashed = crashAt(store, number, when);
        await run.ended.catch(() => undefined);
        crashed = isCrashed();
        detach();
        const after = await openStore(store.home);
        attachOperator(after);
        recoverInterrupted(after.reader, after.journal, after.inbox);
        const end = await goOn(after, place, ref);
        const problems = problemsOf(eventsOf(after, ref), await runsOf(place));
        ends.push(
          ...problems.map((problem) => `${when} write ${number}: ${problem}`),
          ...(end === 'completed' ? [] : [`${when} write ${number}: ${end}`]),
        );
        after.database.close();
        await store.close();
      }
      expect(number).toBeLessThan(40);
    }
    expect(ends).toEqual([]);
  }, 180_000);
});
