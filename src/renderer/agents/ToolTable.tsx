import type { AgentDetails, ToolInfo } from '@shared/agent-details';
import type { ApprovalMode } from '@shared/states';
import { useState } from 'react';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';
import { gateInModes, gateWords } from './gate-words';
import { TryForm } from './TryForm';

interface Props {
  readonly agentId: string;
  readonly details: AgentDetails;
  readonly workspace: string | null;
}

export function ToolTable({ agentId, details, workspace }: Props) {
  const [tried, setTried] = useState<string | null>(null);
  const { tools, mode } = details;
  return (
    <section>
      <h3>
        Tools <Chip>{tools.length}</Chip>
      </h3>
      {tools.length === 0 && <p className="hint">It has none: it can only talk.</p>}
      {tools.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
        <div className="tools-scroll" tabIndex={0}>
          <table className="tools" aria-label="Tools">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Source</th>
                <th scope="col">Tags</th>
                <th scope="col">Gate</th>
                <th scope="col">Description</th>
              </tr>
            </thead>
            <tbody>
              {tools.map((tool, index) => (
                <Row
                  // biome-ignore lint/suspicious/noArrayIndexKey: two tools of one name are shown, and keep it from running
                  key={`${index} ${tool.name}`}
                  tool={tool}
                  mode={mode}
                  open={tool.name === tried}
                  onTry={() => setTried(tool.name === tried ? null : tool.name)}
                >
                  <TryForm agentId={agentId} tool={tool} workspace={workspace} />
                </Row>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

interface RowProps {
  readonly tool: ToolInfo;
  readonly mode: ApprovalMode;
  readonly open: boolean;
  readonly onTry: () => void;
  readonly children: React.ReactNode;
}

function Row({ tool, mode, open, onTry, children }: RowProps) {
  const { words, tone } = gateWords(tool, mode);
  return (
    <>
      <tr className={open ? 'open' : ''}>
        <th scope="row">
          <span className="mono iso">{visible(tool.name)}</span>
          {tool.kind === 'action' && !tool.fromServer && (
            <button
              type="button"
              className="btn tiny"
              aria-expanded={open}
              aria-label={`Try ${tool.name}`}
              onClick={onTry}
            >
              {open ? 'Close' : 'Try'}
            </button>
          )}
        </th>
        <td className="iso source">{visible(tool.source)}</td>
        <td>
          <span className="tags">
            {tool.tags.map((tag) => (
              <span key={tag} className="tag mono iso">
                {visible(tag)}
              </span>
            ))}
          </span>
        </td>
        <td title={gateInModes(tool)}>
          <span className={`gate ${tone}`}>{visible(words)}</span>
          {tool.deferred && <span className="hint deferred">found by search</span>}
        </td>
        <td className="iso description">{visible(withoutTags(tool.description))}</td>
      </tr>
      {open && (
        <tr className="trying">
          <td colSpan={5}>{children}</td>
        </tr>
      )}
    </>
  );
}

/** The tags stand in a column of their own. */
function withoutTags(description: string): string {
  return description.replace(/\n\nTags: [^\n]*$/, '');
}
