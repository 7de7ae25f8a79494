import type { AgentInfo } from '@shared/agent-file';
import { TriangleAlert } from 'lucide-react';
import { loadAgents } from '../app/boot';
import { notify, notifyError, useApp } from '../app/store';
import { Problems } from '../sessions/Problems';
import { MODE_WORDS } from '../sessions/words';
import { ask } from '../ui/bridge';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';

export function AgentsPage() {
  const agents = useApp((state) => state.agents);
  const folder = useApp((state) => state.info?.agentsFolder);
  const open = async () => {
    const result = await ask('openAgentFile', {});
    if (!result.ok) return notifyError(result.error);
    await loadAgents();
    if (result.value.agent !== null) notify('info', `${result.value.agent.name} is in the list.`);
  };
  return (
    <main className="page" aria-label="Agents" data-pane="main">
      <div className="page-body">
        <header className="page-head">
          <h1>Agents</h1>
          <button type="button" className="btn" onClick={() => void open()}>
            Open agent file…
          </button>
        </header>
        {folder !== undefined && (
          <p className="hint">
            Files named <span className="mono">NAME.agent.yaml</span> in{' '}
            <span className="mono iso">{visible(folder)}</span> are listed here.
          </p>
        )}
        {agents.length === 0 && <p className="hint">There is no agent yet.</p>}
        <ul className="agents">
          {agents.map((agent) => (
            <AgentCard key={agent.id} agent={agent} />
          ))}
        </ul>
      </div>
    </main>
  );
}

function AgentCard({ agent }: { readonly agent: AgentInfo }) {
  return (
    <li className="agent-card">
      <h2 className="iso">{visible(agent.name)}</h2>
      {agent.description !== '' && <p className="iso">{visible(agent.description)}</p>}
      <div className="meta">
        {agent.provider !== null && <Chip>{agent.provider}</Chip>}
        {agent.model !== null && <span className="mono">{visible(agent.model)}</span>}
        {agent.mode !== null && <Chip title={MODE_WORDS[agent.mode].explanation}>{MODE_WORDS[agent.mode].chip}</Chip>}
        <span className="mono path iso">{agent.path === null ? 'comes with Sayso' : visible(agent.path)}</span>
      </div>
      {agent.problems.length > 0 && (
        <>
          <p className="cannot">
            <TriangleAlert size={13} aria-hidden /> It cannot run until this is put right:
          </p>
          <Problems agent={agent} />
        </>
      )}
    </li>
  );
}
