import type { AgentInfo } from '@shared/agent-file';
import type { BridgeError } from '@shared/bridge';
import { ApprovalMode } from '@shared/states';
import type { ReactNode } from 'react';
import { visible } from '../ui/text';
import { Problems } from './Problems';
import { MODE_WORDS } from './words';

interface AgentFieldProps {
  readonly agents: readonly AgentInfo[];
  readonly agent: AgentInfo | undefined;
  readonly hasKey: boolean;
  readonly choose: (id: string) => void;
  readonly openFile: () => Promise<void>;
}

export function AgentField({ agents, agent, hasKey, choose, openFile }: AgentFieldProps) {
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
            {agent === undefined && <option value="">No agent is chosen</option>}
            {agents.map(({ id, name, problems }) => (
              <option key={id} value={id}>
                {visible(name)}
                {problems.length > 0 ? ' — has problems' : ''}
              </option>
            ))}
          </select>
          <button type="button" className="btn" onClick={() => void openFile()}>
            Open agent file…
          </button>
        </div>
        {agent !== undefined && agent.description !== '' && <p className="hint iso">{visible(agent.description)}</p>}
        {agent?.provider === 'anthropic' && !hasKey && (
          <p className="hint warn">It needs an API key, and there is none: give one in Settings.</p>
        )}
        {agent !== undefined && agent.problems.length > 0 && <Problems problems={agent.problems} />}
      </div>
    </div>
  );
}

interface WorkspaceFieldProps {
  readonly workspace: string;
  readonly hint?: ReactNode;
  readonly change: (path: string) => void;
  readonly browse: () => Promise<void>;
}

export function WorkspaceField({ workspace, hint, change, browse }: WorkspaceFieldProps) {
  return (
    <div className="row-field">
      <label htmlFor="new-run-workspace">Workspace</label>
      <div>
        <div className="with-button">
          <input
            id="new-run-workspace"
            className="field mono"
            maxLength={4_096}
            placeholder="The folder that the agent works in"
            value={workspace}
            onChange={(event) => change(event.target.value)}
          />
          <button type="button" className="btn" onClick={() => void browse()}>
            Browse…
          </button>
        </div>
        {hint}
      </div>
    </div>
  );
}

export function FormProblem({ error }: { readonly error: BridgeError | null }) {
  if (error === null) return null;
  return (
    <div className="problem" role="alert">
      <p className="iso">{visible(error.message)}</p>
      {error.remedy !== undefined && <p className="iso">{visible(error.remedy)}</p>}
    </div>
  );
}

interface ModeFieldProps {
  readonly mode: ApprovalMode | null;
  readonly own: ApprovalMode | null;
  readonly choose: (mode: ApprovalMode | null) => void;
}

export function ModeField({ mode, own, choose }: ModeFieldProps) {
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
