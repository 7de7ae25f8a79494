import type { ApprovalRequest, GrantPreview } from '@shared/requests';
import { RememberScope } from '@shared/states';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ask } from '../ui/bridge';
import { plural } from '../ui/format';
import { CommandLine } from '../ui/Tokens';
import { visible } from '../ui/text';

/** What the operator chose to remember with an approval: nothing, or a scope and how long it is to hold. */
export interface Remembering {
  readonly scope: RememberScope | null;
  readonly forMs: number | null;
}

export const JUST_ONCE: Remembering = { scope: null, forMs: null };

const SCOPES: Readonly<Record<RememberScope, string>> = {
  exact: 'This exact command',
  session: 'This command in this session',
  agent: 'This command for this agent until quit',
};

const MINUTE = 60_000;
const PERIODS: readonly (readonly [string, number | null])[] = [
  ['For as long as it lasts', null],
  ['For 10 minutes', 10 * MINUTE],
  ['For an hour', 60 * MINUTE],
  ['For 8 hours', 480 * MINUTE],
];

interface Props {
  readonly request: ApprovalRequest;
  readonly chosen: Remembering;
  readonly choose: (chosen: Remembering) => void;
  readonly disabled: boolean;
}

/** Whether approving is for once or for longer, and in words what it then covers. */
export function Remember({ request, chosen, choose, disabled }: Props) {
  const option = request.remember.find(({ scope }) => scope === chosen.scope);
  return (
    <div className="remember">
      <select
        className={`field${option?.broad === true ? ' broad' : ''}`}
        aria-label="Remember"
        value={chosen.scope ?? ''}
        disabled={disabled}
        onChange={(event) => {
          const scope = RememberScope.safeParse(event.target.value);
          choose({ ...chosen, scope: scope.success ? scope.data : null });
        }}
      >
        <option value="">Just this once</option>
        {request.remember.map(({ scope }) => (
          <option key={scope} value={scope}>
            {SCOPES[scope]}
          </option>
        ))}
      </select>
      {option !== undefined && (
        <select
          className="field"
          aria-label="For how long"
          value={chosen.forMs ?? ''}
          disabled={disabled}
          onChange={(event) => choose({ ...chosen, forMs: Number(event.target.value) || null })}
        >
          {PERIODS.map(([words, ms]) => (
            <option key={words} value={ms ?? ''}>
              {words}
            </option>
          ))}
        </select>
      )}
      {option !== undefined && (
        <div className={option.broad ? 'covers broad' : 'covers'}>
          <p>
            {option.broad && <TriangleAlert size={12} aria-hidden />} Covers: {visible(option.covers)}
          </p>
          <Reach request={request} scope={option.scope} />
        </div>
      )}
    </div>
  );
}

/** How far it would have reached: what of the session so far it would have let through unasked. */
function Reach({ request, scope }: { readonly request: ApprovalRequest; readonly scope: RememberScope }) {
  const [preview, setPreview] = useState<GrantPreview | null>(null);
  useEffect(() => {
    let current = true;
    setPreview(null);
    ask('previewGrant', { requestId: request.id, scope }).then((result) => {
      // It only informs. Where it cannot be had, the words above it still say what would be covered.
      if (current && result.ok) setPreview(result.value);
    });
    return () => {
      current = false;
    };
  }, [request.id, scope]);

  if (preview === null) return null;
  if (preview.covered === 0) return <p className="reach">It would have covered nothing else of this session so far.</p>;
  return (
    <div className="reach">
      <p>
        It would have covered {plural(preview.covered, 'call')} of this session so far
        {preview.risky > 0 && <b>, {preview.risky} of them with a risk</b>}.
      </p>
      <ul>
        {preview.examples.slice(0, 4).map((example) => (
          <li key={example.seq} className={example.labels.length > 0 ? 'risky' : ''}>
            <CommandLine command={example.command} />
            {example.labels.length > 0 && <small>{example.labels.map(({ text }) => visible(text)).join(', ')}</small>}
          </li>
        ))}
      </ul>
    </div>
  );
}
