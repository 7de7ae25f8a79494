import type { AgentInfo } from '@shared/agent-file';
import { ChevronRight, TriangleAlert } from 'lucide-react';
import { Problems } from '../sessions/Problems';
import { MODE_WORDS } from '../sessions/words';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';
import { Details } from './Details';

interface Props {
  readonly agent: AgentInfo;
  readonly open: boolean;
  readonly onToggle: () => void;
}

/** One agent of the list; opened, with everything that its next run would have. */
export function AgentCard({ agent, open, onToggle }: Props) {
  const broken = agent.problems.length > 0;
  return (
    <li className={`agent-card ${open ? 'open' : ''}`}>
      <h2 className="iso">
        {broken ? (
          visible(agent.name)
        ) : (
          <button type="button" className="agent-open" aria-expanded={open} onClick={onToggle}>
            <ChevronRight size={14} className={open ? 'turned' : ''} aria-hidden />
            {visible(agent.name)}
          </button>
        )}
      </h2>
      {agent.description !== '' && <p className="iso">{visible(agent.description)}</p>}
      <div className="meta">
        {agent.provider !== null && <Chip>{agent.provider}</Chip>}
        {agent.model !== null && <span className="mono">{visible(agent.model)}</span>}
        {agent.mode !== null && <Chip title={MODE_WORDS[agent.mode].explanation}>{MODE_WORDS[agent.mode].chip}</Chip>}
        <span className="mono path iso">{agent.path === null ? 'comes with Sayso' : visible(agent.path)}</span>
      </div>
      {broken && (
        <>
          <p className="cannot">
            <TriangleAlert size={13} aria-hidden /> It cannot run until this is put right:
          </p>
          <Problems problems={agent.problems} />
        </>
      )}
      {open && !broken && <Details agentId={agent.id} workspace={agent.workspace} />}
    </li>
  );
}
