import type { BridgeError, BridgeInput } from '@shared/bridge';
import type { SessionSummary } from '@shared/sessions';
import { type FormEvent, useState } from 'react';
import { loadAgents } from '../app/boot';
import { useApp } from '../app/store';
import { ask } from '../ui/bridge';
import { Dialog } from '../ui/Dialog';
import { oneLine, visible } from '../ui/text';
import { AgentField, FormProblem, WorkspaceField } from './NewRunFields';
import { MODE_WORDS } from './words';

export type Place = NonNullable<BridgeInput<'resumeSession'>['place']>;

interface Props {
  readonly session: SessionSummary;
  /** Why it cannot go on where it was. */
  readonly why: BridgeError;
  readonly problem: BridgeError | null;
  readonly busy: boolean;
  readonly onGoOn: (place: Place) => void;
  readonly onClose: () => void;
}

/** Asks for the agent and the folder that a session goes on with, where those that it names are not here. */
export function GoOnElsewhere({ session, why, problem, busy, onGoOn, onClose }: Props) {
  const agents = useApp((state) => state.agents);
  const hasKey = useApp((state) => state.key !== null && state.key.source !== 'none');
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [missing, setMissing] = useState<BridgeError | null>(null);
  const wanted = chosen ?? session.agentId;
  const agent =
    agents.find(({ id }) => id === wanted) ??
    (chosen === null
      ? agents.find(({ name, problems }) => name === session.agent && problems.length === 0)
      : undefined);
  const workspace = typed ?? agent?.workspace ?? '';

  const openFile = async () => {
    const result = await ask('openAgentFile', {});
    if (!result.ok) return setMissing(result.error);
    await loadAgents();
    if (result.value.agent !== null) setChosen(result.value.agent.id);
  };
  const browse = async () => {
    const result = await ask('chooseWorkspace', {});
    if (!result.ok) setMissing(result.error);
    else if (result.value.path !== null) setTyped(result.value.path);
  };
  const goOn = (event: FormEvent) => {
    event.preventDefault();
    setMissing(null);
    if (agent === undefined) setMissing(says('Choose the agent that it goes on with.'));
    else if (workspace.trim() === '') setMissing(says('Say in which folder it goes on.'));
    else onGoOn({ agentId: agent.id, workspace });
  };

  return (
    <Dialog title="Go on here" onClose={onClose} width="wide">
      <form className="form" onSubmit={goOn} noValidate>
        <p className="iso">{visible(why.message)}</p>
        {why.remedy !== undefined && <p className="hint iso">{visible(why.remedy)}</p>}
        <AgentField agents={agents} agent={agent} hasKey={hasKey} choose={setChosen} openFile={openFile} />
        <WorkspaceField
          workspace={workspace}
          change={setTyped}
          browse={browse}
          hint={
            <p className="hint was">
              <span>
                It was held by {oneLine(session.agent)} in{' '}
                <span className="mono iso" title={visible(session.workspace)}>
                  {oneLine(session.workspace)}
                </span>
              </span>
              {workspace !== session.workspace && (
                <button type="button" className="btn tiny" onClick={() => setTyped(session.workspace)}>
                  Use this folder
                </button>
              )}
            </p>
          }
        />
        <p className="hint">{MODE_WORDS[session.mode].explanation}.</p>
        <FormProblem error={missing ?? problem} />
        <footer className="form-act end">
          <button type="button" className="btn" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" className="btn primary" disabled={busy}>
            Go on
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function says(message: string): BridgeError {
  return { code: 'invalid-input', message };
}
