import type { GrantId } from '@shared/ids';
import type { Settlement } from '@shared/requests';
import { detailsOf } from '../approvals/denial';
import { GrantGone } from '../approvals/grants';
import { whatChanged } from '../approvals/request';
import { quoted } from '../tools/quoted';
import type { ActionTool } from '../tools/tool';
import { askQuestion } from './ask-question';
import { type Call, type CallEnvironment, deny, reject } from './call-environment';
import { type Considered, consider, decide } from './decide-call';
import { throwIfInterrupted } from './endings';
import { executeCall } from './execute-call';
import { shownCall, spelledCall } from './shown-call';
import { startedEvent } from './start-call';
import { finishRun } from './wider-call';

/** How often a call may turn out to have changed, or lost its grant, before it is given up. */
const MAX_TRIES = 5;

/**
 * Takes one call from the model's reply to a result or a denial on record. Never runs what was not decided.
 * @param settled how it was settled in a run that ended before that came to a result: a denial stands, as does the answer to
 *   a question; what was approved goes through the gate again
 * @throws RunInterrupted when the app closes meanwhile: then the call is as open as before
 */
export async function runCall(
  call: Call,
  environment: CallEnvironment,
  settled: Settlement | null = null,
): Promise<void> {
  const { name } = call.block;
  const tool = environment.tools.get(name);
  if (tool === undefined) {
    const names = [...environment.tools.keys()].join(', ');
    reject(call, environment, `There is no tool named ${quoted(name)}. The tools are: ${names || 'none'}.`);
  } else if (tool.kind === 'question') {
    await askQuestion(tool, call, environment, settled);
  } else if (settled !== null && settled.outcome !== 'approved') {
    deny(call, settled.outcome, environment, detailsOf(settled));
  } else {
    await act(tool, call, environment);
  }
}

/** How a call that may start came to be allowed. */
type Allowed =
  | { readonly by: 'ungated' }
  | { readonly by: 'operator' }
  | { readonly by: 'grant'; readonly grantId: GrantId };

async function act(tool: ActionTool, call: Call, environment: CallEnvironment): Promise<void> {
  let previous: Considered | null = null;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const considered = await consider(tool, call, environment);
    if ('error' in considered) return reject(call, environment, considered.error);
    const changed = previous === null ? null : whatChanged(previous.prepared, considered.prepared);
    const decision = await decide(tool, call, considered, changed, environment);
    throwIfInterrupted(environment.signal);
    if (decision.type === 'denied') {
      return deny(call, decision.outcome, environment, decision.details, decision.shown);
    }
    if (decision.type === 'run') {
      const allowed: Allowed = decision.grant === null ? { by: 'ungated' } : { by: 'grant', grantId: decision.grant };
      if (await start(tool, call, considered, allowed, environment)) return;
      continue;
    }
    // Approved. What was shown is what runs: prepared again, the call must come to the same digest.
    const again = await consider(tool, call, environment);
    throwIfInterrupted(environment.signal);
    if ('error' in again) return reject(call, environment, again.error);
    previous = again.digest === considered.digest ? null : considered;
    if (previous === null && (await start(tool, call, again, allowedBy(decision.settlement), environment))) return;
  }
  const note = 'What it would run kept changing after it was decided.';
  deny(call, 'failed', environment, { note }, spelledCall(call));
}

function allowedBy(settlement: Settlement): Allowed {
  // The operator's own approval of this very call stands by itself, even if what it left behind is revoked at once.
  if (settlement.by === 'operator') return { by: 'operator' };
  if (settlement.by === 'grant' && settlement.grantId !== undefined)
    return { by: 'grant', grantId: settlement.grantId };
  throw new Error(`an approval by ${settlement.by} is none`);
}

/** Starts the call; false when the grant that allowed it was revoked meanwhile, so that it has to be decided anew. */
async function start(
  tool: ActionTool,
  call: Call,
  considered: Considered,
  allowed: Allowed,
  environment: CallEnvironment,
): Promise<boolean> {
  const { record, grants, signal } = environment;
  const { workspace } = record.session;
  if (signal.aborted) {
    deny(call, 'stopped', environment, {}, shownCall(considered, workspace));
    return true;
  }
  const grantId = allowed.by === 'grant' ? allowed.grantId : null;
  const use = grantId === null ? [] : [{ type: 'grant_used' as const, grantId, callId: call.block.id }];
  const how = { allowedBy: allowed.by, ...(grantId === null ? {} : { grantId }) };
  const started = startedEvent(tool, call, considered, how, workspace);
  try {
    record.append([...use, started], 'durable', () => {
      if (grantId !== null) grants.use(grantId);
    });
  } catch (error) {
    if (error instanceof GrantGone) return false;
    throw error;
  }
  record.enter('acting');
  await finishRun(tool, call, await executeCall(call, considered.prepared, environment), environment);
  return true;
}
