import type { JournalEvent } from '@shared/events';
import type { SandboxTier } from '@shared/states';
import type { CallEntry, Entry, QuestionEntry } from './entries';

/** What one batch of events is folded into. The array is the batch's own; the entries in it are never changed. */
export interface Draft {
  readonly entries: Entry[];
  readonly grants: Map<string, string>;
  /** By run and turn: the last attempt whose text is void. */
  readonly voided: Map<string, number>;
  /** The keys of all calls so far. */
  readonly calls: Set<string>;
  runs: number;
  /** Of the run that is being folded; null where its start is not loaded. */
  sandbox: SandboxTier | null;
}

/** Entries are looked for from the end: what an event is about is nearly always among the last few. */
export function findLast<K extends Entry['kind']>(
  draft: Draft,
  kinds: readonly K[],
  test: (entry: Extract<Entry, { kind: K }>) => boolean,
): { readonly index: number; readonly entry: Extract<Entry, { kind: K }> } | null {
  for (let index = draft.entries.length - 1; index >= 0; index -= 1) {
    const entry = draft.entries[index];
    if (entry === undefined || !(kinds as readonly string[]).includes(entry.kind)) continue;
    const candidate = entry as Extract<Entry, { kind: K }>;
    if (test(candidate)) return { index, entry: candidate };
  }
  return null;
}

/**
 * Puts a changed entry where it was. One that a resumed run takes up again moves to the end: there it happens now, and
 * there it is looked for.
 */
export function place(draft: Draft, index: number | null, entry: CallEntry | QuestionEntry, event: JournalEvent): void {
  if (index !== null && draft.entries[index]?.runId === event.runId) {
    draft.entries[index] = entry;
    return;
  }
  if (index !== null) draft.entries.splice(index, 1);
  draft.entries.push({ ...entry, runId: event.runId });
}
