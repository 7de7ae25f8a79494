import type { AgentInfo } from '@shared/agent-file';
import type { BridgeError } from '@shared/bridge';
import { ApprovalMode } from '@shared/states';
import { type FormEvent, useState } from 'react';
import { startDemo } from '../app/actions';
import { loadAgents } from '../app/boot';
import { closeDialog, notifyError, showSession, useApp } from '../app/store';
import { ask } from '../ui/bridge';
import { Dialog } from '../ui/Dialog';
import { visible } from '../ui/text';
import { Problems } from './Problems';
import { loadSession } from './store';
import { MODE_WORDS } from './words';

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
  const agent = agents.find(({ id }) => id === form.agentId) ?? agents.find(({ problems }) => problems.length === 0);
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
        <AgentField agents={agents} agent={agent} choose={(agentId) => change({ agentId })} openFile={openFile} />
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
        <div className="row-field">
          <label htmlFor="new-run-workspace">Workspace</label>
          <div className="with-button">
            <input
              id="new-run-workspace"
              className="field mono"
              maxLength={4_096}
              placeholder="The folder that the agent works in"
              value={workspace}
              onChange={(event) => change({ workspace: event.target.value })}
            />
            <button type="button" className="btn" onClick={() => void browse()}>
              Browse…
            </button>
          </div>
        </div>
        <ModeField mode={form.mode} own={agent?.mode ?? null} choose={(mode) => change({ mode })} />
        {error !== null && (
          <div className="problem" role="alert">
            <p className="iso">{visible(error.message)}</p>
            {error.remedy !== undefined && <p className="iso">{visible(error.remedy)}</p>}
          </div>
        )}
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

async function demo(): Promise<void> {
  await startDemo();
}

function whatIsMissing(agent: AgentInfo | undefined, prompt: string, workspace: string): string | null {
  if (agent === undefined) return 'Choose an agent, or open an agent file.';
  if (prompt.trim() === '') return 'Write what the agent should do.';
  return workspace.trim() === '' ? 'Choose the folder that the agent works in.' : null;
}

interface AgentFieldProps {
  readonly agents: readonly AgentInfo[];
  readonly agent: AgentInfo | undefined;
  readonly choose: (id: string) => void;
  readonly openFile: () => Promise<void>;
}

function AgentField({ agents, agent, choose, openFile }: AgentFieldProps) {
  return (
    <div className="row-field">
      <label htmlFor="new-run-agent">Agent</label>
      <div>
        <div className="with-button">
          <select
            id="new-run-agent"
            className="field"
            value={agent?.id ?? ''}
            onChange={(event) => choose(event.target.value)}
          >
            {agent === undefined && <option value="">No agent that can run</option>}
            {agents.map(({ id, name, problems }) => (
              <option key={id} value={id}>
                {visible(name)}
                {problems.length > 0 ? ' — has problems' : ''}
              </option>
            ))}
          </select>
          <button type="button" className="btn" onClick={() => void openFile().catch(() => notifyOpen())}>
            Open agent file…
          </button>
        </div>
        {agent !== undefined && agent.description !== '' && <p className="hint iso">{visible(agent.description)}</p>}
        {agent !== undefined && agent.problems.length > 0 && <Problems agent={agent} />}
      </div>
    </div>
  );
}

function notifyOpen(): void {
  notifyError({ code: 'failed', message: 'The agent file could not be opened.', remedy: 'Try again.' });
}

interface ModeFieldProps {
  readonly mode: ApprovalMode | null;
  readonly own: ApprovalMode | null;
  readonly choose: (mode: ApprovalMode | null) => void;
}

function ModeField({ mode, own, choose }: ModeFieldProps) {
  const shown = mode ?? own ?? 'ask';
  return (
    <div className="row-field">
      <label htmlFor="new-run-mode">Approval mode</label>
      <div>
        <select
          id="new-run-mode"
          className="field"
          value={shown}
          onChange={(event) => choose(ApprovalMode.safeParse(event.target.value).data ?? null)}
        >
          {ApprovalMode.options.map((option) => (
            <option key={option} value={option}>
              {MODE_WORDS[option].option}
            </option>
          ))}
        </select>
        {shown === 'auto' && <p className="hint warn">Calls that change things run without asking you.</p>}
      </div>
    </div>
  );
}
