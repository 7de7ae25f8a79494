import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunId, SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { forkSession } from '../../../src/main/sessions/fork-session';
import { parseSearch } from '../../../src/main/sessions/search/query';
import { Search } from '../../../src/main/sessions/search/search';
import { readStatistics } from '../../../src/main/sessions/statistics';
import { exportSession } from '../../../src/main/sessions/transfer/export-session';
import { importSession } from '../../../src/main/sessions/transfer/import-session';
import { openStore, type Store, wholeJournal } from '../../support/store';
import { approve, askedForMore, makePlace, nextRequest, type Place, runIn } from '../runs/wider';
import { confinable } from '../sandbox/confined';

let store: Store;
let place: Place;
beforeEach(async () => {
  store = await openStore();
  place = await makePlace();
});
afterEach(() => store.close());

/** A session in which a command was asked about once more, and what it then did. */
async function session(then: 'approve' | 'decline' | 'leave') {
  const script = `echo kept > ${place.outside}/file`;
  const started = runIn(store, place, [script]);
  const asked = await askedForMore(store);
  if (then === 'approve') approve(store, asked);
  if (then === 'decline') store.inbox.answer(asked.id, asked.digest, { type: 'decline', reason: 'no' });
  if (then === 'leave') started.run.interrupt();
  await started.run.ended;
  return { ...started, asked };
}

describe.runIf(confinable)('a session in which a command was allowed more, once', () => {
  it('is found by what it was allowed, and by what was decided', async () => {
    const { ref, asked } = await session('decline');
    const find = (text: string) => {
      const parsed = parseSearch(text, Date.now());
      if (!parsed.ok) throw new Error(parsed.problem);
      const { hits } = new Search(store.database).find(parsed.query, { before: null, limit: 50 });
      return hits.filter(({ sessionId }) => sessionId === ref.sessionId);
    };
    expect(find(`"write in ${place.outside}"`).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['request_opened', 'request_settled']),
    );
    expect(find('outcome:declined').map(({ type }) => type)).toEqual(['request_settled']);
    expect(asked.labels.map(({ id }) => id)).toContain('outside');
    expect(find('label:outside').length).toBeGreaterThan(0);
  });

  it('counts its decision, and no denied call, for the call ran', async () => {
    const { ref } = await session('decline');
    expect(store.reader.session(ref.sessionId)).toMatchObject({ approved: 1, denied: 0 });
    const { decisions } = readStatistics(store.database, 0);
    expect(decisions).toEqual(
      expect.arrayContaining([
        { outcome: 'approved', by: 'operator', count: 1 },
        { outcome: 'declined', by: 'operator', count: 1 },
      ]),
    );
  });

  it.each(['approve', 'leave'] as const)('is equal where it is taken in (%s)', async (then) => {
    const { ref, events } = await session(then);
    const path = join(place.base, 'session.jsonl');
    await exportSession(store.database, { sessionId: ref.sessionId, format: 'jsonl', path, known: [] }, () => {});
    const other = await openStore();
    try {
      await importSession(other.database, path, () => {});
      const there = wholeJournal(other, ref.sessionId);
      expect(there.map(({ body }) => body)).toEqual(events());
      expect(await other.audit.verify()).toMatchObject({ ok: true });
      if (then === 'approve') return;
      // What was open there is asked again here, and its result is not lost.
      recoverInterrupted(other.reader, other.journal, other.inbox);
      const resumed = runIn(other, place, [], { ref: { ...ref, runId: RunId.parse(randomUUID()) } });
      expect((await nextRequest(other)).gatedBy.because).toBe('wider');
      resumed.run.stop();
      expect(await resumed.run.ended).toBe('stopped');
      expect(resumed.of('call_result')).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it.each(['markdown', 'html'] as const)('tells both runs and what was allowed, as %s', async (format) => {
    const { ref } = await session('approve');
    const path = join(place.base, 'session.txt');
    await exportSession(store.database, { sessionId: ref.sessionId, format, path, known: [] }, () => {});
    const text = (await readFile(path, 'utf8')).replaceAll('\\', '');
    expect(text).toMatch(/exit code 2 after \d+ ms: the sandbox kept it from something/);
    expect(text).toMatch(/ran again, exit code 0 after \d+ ms/);
    expect(text).toContain(`approved, it runs again and may also write in ${place.outside}`);
    expect(text).toContain(`this once it may also: write in ${place.outside}`);
  });

  it.each(['markdown', 'html'] as const)(
    'tells what it came to once where it did not run again, as %s',
    async (format) => {
      const { ref } = await session('decline');
      const path = join(place.base, 'session.txt');
      await exportSession(store.database, { sessionId: ref.sessionId, format, path, known: [] }, () => {});
      const text = (await readFile(path, 'utf8')).replaceAll('\\', '');
      expect(text.split('Directory nonexistent')).toHaveLength(2);
      expect(text).toContain('declined by you');
      expect(text).not.toContain('ran again,');
    },
  );

  it('is asked again in a fork that ends at the question, and has nothing of the answer', async () => {
    const { ref } = await session('approve');
    const events = wholeJournal(store, ref.sessionId);
    const seq = events.find(({ body }) => body.type === 'call_refused')?.seq ?? 0;
    const newId = SessionId.parse(randomUUID());
    await forkSession(store.database, { sessionId: ref.sessionId, seq, newId, runId: RunId.parse(randomUUID()) });
    const resumed = runIn(store, place, [], { ref: { sessionId: newId, runId: RunId.parse(randomUUID()) } });
    expect((await nextRequest(store)).gatedBy).toMatchObject({ because: 'wider', exitCode: 2 });
    resumed.run.stop();
    await resumed.run.ended;
    expect(resumed.of('call_started').filter(({ allows }) => allows !== undefined)).toEqual([]);
  });
});
