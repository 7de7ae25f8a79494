import type { AgentDetails, ServerInfo } from '@shared/agent-details';
import type { BridgeError } from '@shared/bridge';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';

interface Props {
  readonly details: AgentDetails;
  readonly asking: boolean;
  /** Why they were not asked. */
  readonly refusal: BridgeError | null;
  readonly onAsk: () => void;
}

/** The MCP servers of an agent. To list their tools is to run them, so that is for the operator to say. */
export function Servers({ details, asking, refusal, onAsk }: Props) {
  const { servers } = details;
  if (servers.length === 0) return null;
  return (
    <section aria-label="MCP servers" aria-busy={asking}>
      <h3>
        MCP servers <Chip>{servers.length}</Chip>
      </h3>
      <ul className="agent-servers">
        {servers.map((server) => (
          <li key={server.name}>
            <span className="mono iso">{visible(server.name)}</span>
            <span>{asking ? 'being asked…' : stateWords(server, details)}</span>
            <span className="hint mono iso">{visible(server.reach)}</span>
          </li>
        ))}
      </ul>
      <div className="agent-ask">
        <button type="button" className="btn" disabled={asking} onClick={onAsk}>
          List the servers' tools
        </button>
        <span className="hint" role="status">
          {asking
            ? 'Starting the servers. One that does not answer is given up after 40 s.'
            : 'This starts them as a run does, in the workspace of the agent or else an empty folder, and ends them again.'}
        </span>
      </div>
      {refusal !== null && (
        <p role="alert" className="problem">
          {visible(refusal.message)} {refusal.remedy !== undefined && visible(refusal.remedy)}
        </p>
      )}
    </section>
  );
}

function stateWords({ name, state, offered }: ServerInfo, { tools }: AgentDetails): string {
  if (state === 'unasked') return 'its tools are not known yet';
  if (state === 'unavailable') return 'could not be used: see the warnings';
  const kept = tools.filter(({ fromServer, source }) => fromServer && source === name).length;
  const count = `${offered} ${offered === 1 ? 'tool' : 'tools'}`;
  return kept === offered ? count : `${count}, of which the agent has ${kept}`;
}
