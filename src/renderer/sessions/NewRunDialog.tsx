import type { AgentInfo } from '@shared/agent-file';
import type { BridgeError } from '@shared/bridge';
import type { ApprovalMode } from '@shared/states';
import { type FormEvent, useState } from 'react';
import { startDemo } from '../app/actions';
import { loadAgents } from '../app/boot';
import { closeDialog, showSession, useApp } from '../app/store';
import { ask } from '../ui/bridge';
import { Dialog } from '../ui/Dialog';
import { AgentField, FormProblem, ModeField, WorkspaceField } from './NewRunFields';
import { loadSession } from './store';

interface Form {
  readonly agentId: string;
  readonly prompt: string;
  /** null as long as the operator has not said: then it is the agent's own. */
  readonly workspace: string | null;
  readonly mode: ApprovalMode | null;
}

const BLANK: Form = { agentId: '', prompt: '', workspace: null, mode: null };
// What was typed outlives the dialog: closing it by mistake loses nothing.
let kept: Form = BLANK;

export function NewRunDialog() {
  const agents = useApp((state) => state.agents);
  const [form, setForm] = useState(kept);
  const [error, setError] = useState<BridgeError | null>(null);
  const [busy, setBusy] = useState(false);
  const hasKey = useApp((state) => state.key !== null && state.key.source !== 'none');
  // One that was chosen and has gone is not replaced by another: the operator would start what they did not choose.
  const agent = form.agentId === '' ? proposed(agents, hasKey) : agents.find(({ id }) => id === form.agentId);
  const workspace = form.workspace ?? agent?.workspace ?? '';

  const change = (what: Partial<Form>) => {
    kept = { ...form, ...what };
    setForm(kept);
    setError(null);
  };

  const openFile = async () => {
    const result = await ask('openAgentFile', {});
    if (!result.ok) return setError(result.error);
    await loadAgents();
    if (result.value.agent !== null) change({ agentId: result.value.agent.id });
  };

  const browse = async () => {
    const result = await ask('chooseWorkspace', {});
    if (!result.ok) setError(result.error);
    else if (result.value.path !== null) change({ workspace: result.value.path });
  };

  const start = async (event: FormEvent) => {
    event.preventDefault();
    const missing = whatIsMissing(agent, form.prompt, workspace);
    if (missing !== null) return setError({ code: 'invalid-input', message: missing });
    if (agent === undefined || busy) return;
    setBusy(true);
    setError(null);
    const result = await ask('startRun', { agentId: agent.id, prompt: form.prompt, workspace, mode: form.mode });
    setBusy(false);
    if (!result.ok) return setError(result.error);
    kept = { ...BLANK, agentId: agent.id };
    closeDialog();
    await loadSession(result.value.sessionId);
    showSession(result.value.sessionId);
  };

  return (
    <Dialog title="New run" onClose={closeDialog} width="wide">
      <form className="form" onSubmit={(event) => void start(event)} noValidate>
        <AgentField
          agents={agents}
          agent={agent}
          hasKey={hasKey}
          choose={(agentId) => change({ agentId })}
          openFile={openFile}
        />
        <label className="row-field">
          <span>Prompt</span>
          <textarea
            className="field"
            rows={5}
            maxLength={200_000}
            data-first
            placeholder="What should the agent do?"
            value={form.prompt}
            onChange={(event) => change({ prompt: event.target.value })}
          />
        </label>
        <WorkspaceField workspace={workspace} change={(path) => change({ workspace: path })} browse={browse} />
        <ModeField mode={form.mode} own={agent?.mode ?? null} choose={(mode) => change({ mode })} />
        <FormProblem error={error} />
        <footer className="form-act">
          <button type="button" className="btn quiet" onClick={() => void demo()}>
            Start the demo run
          </button>
          <button type="button" className="btn" onClick={closeDialog}>
            Cancel
          </button>
          <button
            type="submit"
            className="btn primary"
            disabled={busy || (agent !== undefined && agent.problems.length > 0)}
          >
            Start run
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The first agent that can run; with a key, the first that has a model behind it. */
function proposed(agents: readonly AgentInfo[], hasKey: boolean): AgentInfo | undefined {
  const sound = agents.filter(({ problems }) => problems.length === 0);
  return (hasKey ? sound.find(({ provider }) => provider === 'anthropic') : undefined) ?? sound[0];
}

async function demo(): Promise<void> {
  await startDemo();
}

function whatIsMissing(agent: AgentInfo | undefined, prompt: string, workspace: string): string | null {
  if (agent === undefined) return 'Choose an agent, or open an agent file.';
  if (prompt.trim() === '') return 'Write what the agent should do.';
  return workspace.trim() === '' ? 'Choose the folder that the agent works in.' : null;
}
