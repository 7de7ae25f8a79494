import type { JournalEvent } from '@shared/events';
import type { SessionId } from '@shared/ids';
import type { SandboxTier } from '@shared/states';
import { useEffect } from 'react';
import { create } from 'zustand';
import { ask } from '../ui/bridge';

/** What each session's commands run in, or last ran in; null where none of its runs is on record. */
const useRunSandboxes = create<Readonly<Record<SessionId, SandboxTier | null>>>(() => ({}));

/** A run that starts may have another agent file, or another machine, than the one before. */
export function takeRunStarts(events: readonly JournalEvent[]): void {
  for (const { sessionId, body } of events) {
    if (body.type === 'run_started') useRunSandboxes.setState({ [sessionId]: body.sandbox });
  }
}

/** What holds for the runs of a session; undefined until that is known. */
export function useRunSandbox(id: SessionId): SandboxTier | null | undefined {
  useEffect(() => {
    const before = useRunSandboxes.getState()[id];
    void ask('getRunSandbox', { sessionId: id, seq: null }).then((result) => {
      // A run that started meanwhile is the newer one.
      if (result.ok && useRunSandboxes.getState()[id] === before) {
        useRunSandboxes.setState({ [id]: result.value.sandbox });
      }
    });
  }, [id]);
  return useRunSandboxes((state) => state[id]);
}
