import { randomUUID } from 'node:crypto';
import type { EventBody } from '@shared/events';
import { RunId, SessionId } from '@shared/ids';
import type { SandboxTier } from '@shared/states';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, STARTED, type Store, startSession, TIER, wholeJournal } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const open: SandboxTier = { ...TIER, label: 'with network', network: 'not-enforced' };
const goesOn = (sandbox: SandboxTier): EventBody => ({ ...STARTED, resumed: true, sandbox });
const said: EventBody = { type: 'user_message', text: 'go on' };

describe('what a session’s commands run in', () => {
  it('is told as it was at an event, and as it is now', () => {
    const ref = startSession(store.journal);
    const other = startSession(store.journal);
    const before = wholeJournal(store, ref.sessionId).at(-1)?.seq ?? 0;
    store.journal.append({ ...ref, runId: RunId.parse(randomUUID()) }, [goesOn(open), said], 'batched');
    store.journal.append(other, [said], 'batched');
    const [started] = wholeJournal(store, ref.sessionId).filter(({ seq }) => seq > before);
    const at = (seq: number | null) => store.reader.runSandbox({ sessionId: ref.sessionId, seq })?.label;
    expect(at(null)).toBe('with network');
    expect(at(before)).toBe(TIER.label);
    expect(at(started?.seq ?? 0)).toBe('with network');
    expect(store.reader.runSandbox({ sessionId: other.sessionId, seq: null })?.label).toBe(TIER.label);
  });

  it('is not made up where no run is on record, nor where its start cannot be read', () => {
    const { sessionId } = startSession(store.journal);
    const change = store.database.prepare("UPDATE events SET body = '{' WHERE type = 'run_started'");
    expect(change.run().changes).toBe(1);
    expect(store.reader.runSandbox({ sessionId, seq: null })).toBeNull();
    expect(store.reader.runSandbox({ sessionId: SessionId.parse(randomUUID()), seq: null })).toBeNull();
  });
});
