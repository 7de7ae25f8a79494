import type { EventOf } from '@shared/events';
import { labelsOfCall } from '../approvals/request';
import type { ActionTool } from '../tools/tool';
import type { Call } from './call-environment';
import type { Considered } from './decide-call';
import { labelIds } from './shown-call';

/** The event that stands on record before anything of a call runs. */
export function startedEvent(
  { name: tool, keptBy }: ActionTool,
  { block, turn }: Call,
  { prepared, call }: Considered,
  allowed: Pick<EventOf<'call_started'>, 'allowedBy' | 'grantId' | 'allows'>,
  workspace: string,
): EventOf<'call_started'> {
  const { digest, program, command } = call;
  const { preview } = prepared;
  const labels = labelIds(labelsOfCall(prepared, workspace, allowed.allows));
  return {
    type: 'call_started',
    turn,
    callId: block.id,
    tool,
    preview,
    command: [...command],
    digest,
    program,
    keptBy,
    ...allowed,
    ...(labels.length === 0 ? {} : { labels }),
  };
}
