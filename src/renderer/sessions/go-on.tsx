import type { BridgeError, BridgeResult } from '@shared/bridge';
import type { SessionSummary } from '@shared/sessions';
import { type ReactNode, useState } from 'react';
import { AgentChanged } from './AgentChanged';
import { GoOnElsewhere, type Place } from './GoOnElsewhere';

/** What the operator has said so far of how the session goes on. */
interface How {
  readonly anyway: boolean;
  readonly place: Place | null;
}

interface GoOn {
  /** Tries to go on; asks what has to be asked, and tries again. */
  readonly start: () => void;
  readonly busy: boolean;
  /** The question that is open, if any. */
  readonly dialog: ReactNode;
}

interface Parts {
  readonly session: SessionSummary;
  /** What the button says that goes on over a changed agent. */
  readonly action: string;
  readonly attempt: (how: How) => Promise<BridgeResult<'resumeSession' | 'sendMessage'>>;
  readonly onDone?: () => void;
  /** For what no question can mend. */
  readonly onProblem: (error: BridgeError) => void;
}

/** Goes on with a session that has come to rest, by a message or by Resume. */
export function useGoOn({ session, action, attempt, onDone, onProblem }: Parts): GoOn {
  const [busy, setBusy] = useState(false);
  const [how, setHow] = useState<How>({ anyway: false, place: null });
  const [changed, setChanged] = useState<BridgeError | null>(null);
  const [elsewhere, setElsewhere] = useState<BridgeError | null>(null);
  const [problem, setProblem] = useState<BridgeError | null>(null);

  const close = () => {
    setChanged(null);
    setElsewhere(null);
    setProblem(null);
  };
  const go = async (next: How) => {
    setBusy(true);
    setHow(next);
    setChanged(null);
    setProblem(null);
    const result = await attempt(next);
    setBusy(false);
    if (result.ok) {
      close();
      onDone?.();
    } else if (result.error.code === 'changed') setChanged(result.error);
    else if (result.error.code === 'elsewhere') setElsewhere(result.error);
    // What was chosen will not do: the question stays open, and says so.
    else if (next.place !== null) setProblem(result.error);
    else onProblem(result.error);
  };

  const dialog =
    changed !== null ? (
      <AgentChanged error={changed} action={action} onGoOn={() => void go({ ...how, anyway: true })} onClose={close} />
    ) : elsewhere !== null ? (
      <GoOnElsewhere
        session={session}
        why={elsewhere}
        problem={problem}
        busy={busy}
        onGoOn={(place) => void go({ anyway: false, place })}
        onClose={close}
      />
    ) : null;
  return { start: () => void go({ anyway: false, place: null }), busy, dialog };
}
