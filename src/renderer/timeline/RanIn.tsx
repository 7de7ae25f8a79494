import type { SandboxTier } from '@shared/states';
import { useContext, useEffect, useState } from 'react';
import { Kept } from '../sessions/Kept';
import { isSandboxed, keeperOf } from '../sessions/protections';
import { ask } from '../ui/bridge';
import type { CallEntry } from './entries';
import { eventsOf } from './pages';
import { SessionContext } from './session-context';
import { useTimelines } from './state';

/** What kept a call that ran within bounds. */
export function RanIn({ entry }: { readonly entry: CallEntry }) {
  const { preview, keptBy, starts } = entry;
  const keeper = preview === null ? null : keeperOf(keptBy, preview);
  const tier = useTier(entry, starts > 0 && isSandboxed(keeper));
  if (starts === 0 || tier === undefined) return null;
  return (
    <dl className="facts">
      <Kept keeper={keeper} tier={tier} />
    </dl>
  );
}

/** The tier that a call ran in, looked up where its run began before what is loaded; undefined until that is known. */
function useTier(entry: CallEntry, wanted: boolean): SandboxTier | null | undefined {
  const { callId, ranIn } = entry;
  const sessionId = useContext(SessionContext);
  const [found, setFound] = useState<SandboxTier | null | undefined>(undefined);
  const missing = wanted && ranIn === null;
  useEffect(() => {
    if (!missing || sessionId === null) return;
    const events = eventsOf(useTimelines.getState()[sessionId]?.pages ?? []);
    const started = events.findLast(({ body }) => body.type === 'call_started' && body.callId === callId);
    if (started === undefined) return;
    let gone = false;
    void ask('getRunSandbox', { sessionId, seq: started.seq }).then((result) => {
      if (!gone && result.ok) setFound(result.value.sandbox);
    });
    return () => {
      gone = true;
    };
  }, [missing, sessionId, callId]);
  return missing ? found : ranIn;
}
