import type { ApprovalRequest } from '@shared/requests';
import { TriangleAlert } from 'lucide-react';
import { type ComponentProps, useCallback, useState } from 'react';
import { visible } from '../ui/text';
import { Act } from './Act';
import { Command } from './Command';
import { DecideButton } from './DecideButton';
import { Facts } from './Facts';
import { useArmed } from './guard';
import { useDecisionKeys } from './keys';
import { Labels } from './Labels';
import { JUST_ONCE, Remember } from './Remember';
import { answer, useInbox } from './store';
import { Wider } from './Wider';

interface Props {
  readonly request: ApprovalRequest;
  readonly over: ComponentProps<typeof Act>['over'];
}

export function ApprovalBody({ request, over }: Props) {
  const armed = useArmed();
  const [commandSeen, setCommandSeen] = useState(false);
  const [moreSeen, setMoreSeen] = useState(request.gatedBy.because !== 'wider');
  const seen = commandSeen && moreSeen;
  const [reason, setReason] = useState('');
  const [remember, setRemember] = useState(JUST_ONCE);
  const sending = useInbox((state) => state.sending.has(request.id));
  const mayDecline = armed && !sending && over === null;
  const mayApprove = mayDecline && seen;

  const approve = () => {
    const { scope, forMs } = remember;
    const limit = scope === null || forMs === null ? {} : { forMs };
    void answer(request, { type: 'approve', remember: scope, ...limit });
  };
  const decline = () => {
    const words = reason.trim();
    void answer(request, words === '' ? { type: 'decline' } : { type: 'decline', reason: words });
  };
  const keys = useDecisionKeys(request.id, {
    ...(mayApprove ? { approve } : {}),
    ...(mayDecline ? { decline } : {}),
  });
  const onSeen = useCallback(() => setCommandSeen(true), []);
  const onMoreSeen = useCallback(() => setMoreSeen(true), []);

  return (
    <>
      <Labels labels={request.labels} />
      {request.changed !== null && (
        <p className="changed">
          <TriangleAlert size={14} aria-hidden />
          <span>
            <b>Not what you approved before.</b> {visible(request.changed)}
          </span>
        </p>
      )}
      {request.gatedBy.because === 'wider' && <Wider gatedBy={request.gatedBy} onSeen={onMoreSeen} />}
      <Command command={request.command} onSeen={onSeen} />
      <Facts request={request} />
      <Act over={over}>
        <span ref={keys} hidden />
        <div className="two">
          <DecideButton requestId={request.id} className="btn default" disabled={!mayDecline} decide={decline}>
            Decline{' '}
            <span className="kbd" aria-hidden>
              D
            </span>
          </DecideButton>
          <DecideButton
            requestId={request.id}
            className="btn primary"
            disabled={!mayApprove}
            title={seen ? undefined : 'Read the command to its end first'}
            decide={approve}
          >
            Approve{' '}
            <span className="kbd" aria-hidden>
              A
            </span>
          </DecideButton>
        </div>
        {request.gatedBy.because !== 'wider' && (
          <Remember request={request} chosen={remember} choose={setRemember} disabled={over !== null || sending} />
        )}
        <input
          className="field"
          aria-label="Reason"
          data-enter="decline"
          placeholder="Reason, told to the agent when you decline"
          maxLength={2_000}
          value={reason}
          disabled={over !== null}
          onChange={(event) => setReason(event.target.value)}
        />
      </Act>
    </>
  );
}
