import { useState } from 'react';
import { loadAgents } from '../app/boot';
import { notify, notifyError, useApp } from '../app/store';
import { ask } from '../ui/bridge';
import { visible } from '../ui/text';
import { AgentCard } from './AgentCard';

export function AgentsPage() {
  const agents = useApp((state) => state.agents);
  const folder = useApp((state) => state.info?.agentsFolder);
  const [opened, setOpened] = useState<string | null>(null);
  const open = async () => {
    const result = await ask('openAgentFile', {});
    if (!result.ok) return notifyError(result.error);
    await loadAgents();
    const { agent } = result.value;
    if (agent === null) return;
    notify('info', `${agent.name} is in the list.`);
    setOpened(agent.id);
  };
  return (
    <main className="page" aria-label="Agents" data-pane="main">
      <div className="page-body wide">
        <header className="page-head">
          <h1>Agents</h1>
          <button type="button" className="btn" onClick={() => void open()}>
            Open agent file…
          </button>
        </header>
        {folder !== undefined && (
          <p className="hint">
            Files named <span className="mono">NAME.agent.yaml</span> in{' '}
            <span className="mono iso">{visible(folder)}</span> are listed here. What you see is what the next run gets;
            saving a file refreshes it.
          </p>
        )}
        {agents.length === 0 && <p className="hint">There is no agent yet.</p>}
        <ul className="agents">
          {agents.map((agent) => (
            <AgentCard
              key={agent.id}
              agent={agent}
              open={agent.id === opened}
              onToggle={() => setOpened(agent.id === opened ? null : agent.id)}
            />
          ))}
        </ul>
      </div>
    </main>
  );
}
