import type { ApprovalRequest, RememberOption, Severity } from '@shared/requests';
import type { RememberScope } from '@shared/states';
import { TriangleAlert } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';
import { Command } from './Command';
import { Facts } from './Facts';
import { clicked, ignoreRepeats, useArmed } from './guard';
import { useDecisionKeys } from './keys';
import { answer, useInbox } from './store';

const TONES = { severe: 'bad', high: 'bad', medium: 'wait', low: 'plain' } as const satisfies Record<Severity, string>;

interface Props {
  readonly request: ApprovalRequest;
  /** It has been settled: there is nothing left to decide. */
  readonly over: boolean;
}

export function ApprovalBody({ request, over }: Props) {
  const armed = useArmed();
  const [seen, setSeen] = useState(false);
  const [reason, setReason] = useState('');
  const [remember, setRemember] = useState<RememberScope | null>(null);
  const sending = useInbox((state) => state.sending.has(request.id));
  const mayDecline = armed && !sending && !over;
  const mayApprove = mayDecline && seen;

  const approve = () => void answer(request, { type: 'approve', remember });
  const decline = () => {
    const words = reason.trim();
    void answer(request, words === '' ? { type: 'decline' } : { type: 'decline', reason: words });
  };
  const keys = useDecisionKeys(request.id, {
    ...(mayApprove ? { approve } : {}),
    ...(mayDecline ? { decline } : {}),
  });
  const onSeen = useCallback(() => setSeen(true), []);

  return (
    <>
      {request.labels.length > 0 && (
        <div className="labels">
          {request.labels.map((label) => (
            <Chip key={label.id} tone={TONES[label.severity]} title={`${label.severity} risk`}>
              {visible(label.text)}
            </Chip>
          ))}
        </div>
      )}
      {request.changed !== null && (
        <p className="changed">
          <TriangleAlert size={14} aria-hidden />
          <span>
            <b>Not what you approved before.</b> {visible(request.changed)}
          </span>
        </p>
      )}
      <Command command={request.command} onSeen={onSeen} />
      <Facts request={request} />
      <div className="act" ref={keys}>
        <div className="two">
          <button
            type="button"
            className="btn default"
            disabled={!mayDecline}
            onClick={clicked(request.id, decline)}
            onKeyDown={ignoreRepeats}
          >
            Decline{' '}
            <span className="kbd" aria-hidden>
              D
            </span>
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={!mayApprove}
            title={seen ? undefined : 'Read the command to its end first'}
            onClick={clicked(request.id, approve)}
            onKeyDown={ignoreRepeats}
          >
            Approve{' '}
            <span className="kbd" aria-hidden>
              A
            </span>
          </button>
        </div>
        <Remember options={request.remember} chosen={remember} choose={setRemember} disabled={over || sending} />
        <input
          className="field"
          aria-label="Reason"
          data-enter="decline"
          placeholder="Reason, told to the agent when you decline"
          maxLength={2_000}
          value={reason}
          disabled={over}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
    </>
  );
}

const SCOPES: Readonly<Record<RememberScope, string>> = {
  exact: 'This exact command',
  session: 'This command in this session',
  agent: 'This command for this agent until quit',
};

interface RememberProps {
  readonly options: readonly RememberOption[];
  readonly chosen: RememberScope | null;
  readonly choose: (scope: RememberScope | null) => void;
  readonly disabled: boolean;
}

/** Whether approving is for once or for longer, and in words what it then covers. */
function Remember({ options, chosen, choose, disabled }: RememberProps) {
  const option = options.find((candidate) => candidate.scope === chosen);
  return (
    <div className="remember">
      <select
        className={`field${option?.broad === true ? ' broad' : ''}`}
        aria-label="Remember"
        value={chosen ?? ''}
        disabled={disabled}
        onChange={(event) => choose(options.find((one) => one.scope === event.target.value)?.scope ?? null)}
      >
        <option value="">Just this once</option>
        {options.map(({ scope }) => (
          <option key={scope} value={scope}>
            {SCOPES[scope]}
          </option>
        ))}
      </select>
      {option !== undefined && (
        <p className={option.broad ? 'covers broad' : 'covers'}>
          {option.broad && <TriangleAlert size={12} aria-hidden />} Covers: {visible(option.covers)}
        </p>
      )}
    </div>
  );
}
