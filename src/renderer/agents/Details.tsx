import type { AgentDetails } from '@shared/agent-details';
import type { BridgeError } from '@shared/bridge';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useApp } from '../app/store';
import { Problems } from '../sessions/Problems';
import { PROTECTIONS, protectionWords } from '../sessions/protections';
import { MODE_WORDS } from '../sessions/words';
import { ask } from '../ui/bridge';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';
import { GlobalFlags } from './GlobalFlags';
import { Servers } from './Servers';
import { ToolTable } from './ToolTable';

interface Props {
  readonly agentId: string;
  readonly workspace: string | null;
}

/**
 * What the next run of an agent would have, asked for anew whenever a file of an agent or the settings change. Its MCP
 * servers are only started where the operator says so.
 */
export function Details({ agentId, workspace }: Props) {
  const agents = useApp((state) => state.agents);
  const settings = useApp((state) => state.settings);
  const [details, setDetails] = useState<AgentDetails | null>(null);
  const [error, setError] = useState<BridgeError | null>(null);
  const [asking, setAsking] = useState(false);
  const [refusal, setRefusal] = useState<BridgeError | null>(null);
  /** Counts what was asked for: only the last answer is of the file as it is now. */
  const asked = useRef(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is new after every change of a file
  useEffect(() => {
    asked.current += 1;
    const mine = asked.current;
    setAsking(false);
    setRefusal(null);
    void ask('getAgent', { agentId }).then((result) => {
      if (mine !== asked.current) return;
      setError(result.ok ? null : result.error);
      if (result.ok) setDetails(result.value.details);
    });
    return () => {
      asked.current += 1;
    };
  }, [agentId, agents, settings]);

  const askServers = async () => {
    asked.current += 1;
    const mine = asked.current;
    setAsking(true);
    setRefusal(null);
    const result = await ask('getAgent', { agentId, servers: 'ask' });
    if (mine !== asked.current) return;
    setAsking(false);
    if (result.ok) setDetails(result.value.details);
    else setRefusal(result.error);
  };

  if (error !== null) {
    return (
      <p role="alert" className="problem">
        {visible(error.message)} {error.remedy !== undefined && visible(error.remedy)}
      </p>
    );
  }
  if (details === null) {
    return (
      <p className="hint" role="status">
        Reading its tools…
      </p>
    );
  }
  return (
    <div className="agent-details">
      {details.problems.length > 0 && (
        <div>
          <p className="cannot">
            <TriangleAlert size={13} aria-hidden /> It cannot run until this is put right:
          </p>
          <Problems problems={details.problems} />
        </div>
      )}
      <Facts details={details} />
      <Warnings warnings={details.warnings} />
      <Servers details={details} asking={asking} refusal={refusal} onAsk={() => void askServers()} />
      <ToolTable agentId={agentId} details={details} workspace={workspace} />
      <GlobalFlags flags={details.globalFlags} />
    </div>
  );
}

function Facts({ details }: { readonly details: AgentDetails }) {
  const { toolSearch, sandbox, environment } = details;
  const open = PROTECTIONS.filter((name) => sandbox[name] !== 'enforced').map((name) => protectionWords(name, sandbox));
  return (
    <dl className="facts wide">
      <Fact name="Model">
        <span className="mono iso">{visible(details.model)}</span> ({details.provider})
      </Fact>
      <Fact name="Thinking">{details.thinking ? 'on' : 'off'}</Fact>
      <Fact name="Mode">
        {MODE_WORDS[details.mode].explanation}
        {details.weak && details.mode === 'auto' && '. The sandbox here is weak, so these ask all the same'}
      </Fact>
      <Fact name="Tool search">
        {toolSearch.on ? 'on' : 'off'}: {visible(toolSearch.why)}
      </Fact>
      <Fact name="Sandbox">
        {visible(sandbox.label)}
        {open.length > 0 && <span className="hint"> · {open.join('; ')}</span>}
      </Fact>
      {sandbox.hosts !== undefined && (
        <Fact name="Commands reach">
          <span className="mono iso">{sandbox.hosts.map(visible).join(', ')}</span>
        </Fact>
      )}
      <Fact name="Environment">
        <span className="mono iso">{environment.map(visible).join(', ')}</span>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <section>
      <h3>
        Warnings <Chip tone="wait">{warnings.length}</Chip>
      </h3>
      <ul className="agent-warnings" aria-label="Warnings">
        {warnings.map((warning) => (
          <li key={warning}>
            <TriangleAlert size={12} aria-hidden />
            <span className="iso">{visible(warning)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
