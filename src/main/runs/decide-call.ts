import type { GrantId } from '@shared/ids';
import type { DisplayToken, Settlement } from '@shared/requests';
import type { Denial } from '@shared/states';
import { sandboxOf } from '../approvals/confined-as';
import { type DenialDetails, detailsOf } from '../approvals/denial';
import { digest } from '../approvals/digest';
import { displayToken } from '../approvals/display/display-token';
import { nameBehind } from '../approvals/display/known-names';
import { gate } from '../approvals/gate';
import { programIdentity, type Rememberable } from '../approvals/remember';
import { approvalRequest } from '../approvals/request';
import { DEFAULT_POLICY } from '../sandbox/policy';
import { type Permission, tierWith, widened } from '../sandbox/wider/permission';
import { type ActionTool, type PreparedCall, ToolError } from '../tools/tool';
import { answered } from './answered';
import type { Call, CallEnvironment } from './call-environment';
import { RunInterrupted, throwIfInterrupted } from './endings';
import { type Shown, shownCall } from './shown-call';

/** A call that was prepared, with the digest of all that it would do. */
export interface Considered {
  readonly prepared: PreparedCall;
  readonly digest: string;
  readonly call: Rememberable;
}

export type CallDecision =
  | { readonly type: 'run'; readonly grant: GrantId | null }
  | { readonly type: 'approved'; readonly settlement: Settlement }
  /** `shown`: what it would have run; null where a request tells it. */
  | {
      readonly type: 'denied';
      readonly outcome: Denial;
      readonly details?: DenialDetails;
      readonly shown: Shown | null;
    };

/** Nobody reads more than this to its end, and Linux starts no process with a longer argument (128 KiB). */
const MAX_COMMAND_LENGTH = 131_072;

/**
 * Prepares a call; an error is for the model, about its own arguments.
 * @param beyond what it would be allowed beyond the policy of the run: part of what is decided about, as the policy is
 */
export async function consider(
  tool: ActionTool,
  { block }: Call,
  { context, settings, signal }: CallEnvironment,
  beyond: readonly Permission[] = [],
): Promise<Considered | { readonly error: string }> {
  let prepared: PreparedCall | null;
  try {
    prepared = await answered(tool.prepare(block.inputText, context), context.toolTimeoutMs, signal);
  } catch (error) {
    if (error instanceof ToolError) return { error: error.message };
    throw error;
  }
  if (prepared === null) {
    throwIfInterrupted(signal);
    return { error: 'Nothing was done: what the call is about could not be looked at, as the system did not answer.' };
  }
  prepared = boundTo(beyond, prepared);
  const { preview, cwd, bound } = prepared;
  const program = prepared.program === null ? null : programIdentity(prepared.program, boundHash(prepared));
  const length = prepared.command.reduce((sum, text) => sum + text.length, 0);
  if (length > MAX_COMMAND_LENGTH) {
    return {
      error: `The call is ${length} characters long; at most ${MAX_COMMAND_LENGTH} can be shown to be decided about.`,
    };
  }
  const whole = digest({
    tool: tool.name,
    preview,
    cwd,
    bound,
    sandbox: tierWith(context.sandbox.tier, beyond),
    policy: beyond.length === 0 ? context.sandbox.policy : widened(context.sandbox.policy ?? DEFAULT_POLICY, beyond),
  });
  const command = prepared.command.map(showToken);
  const { agentId, agentVersion, agentName } = settings;
  const kept = sandboxOf(tool.keptBy, context.sandbox.tier);
  const call = { tool: tool.name, program, digest: whole, agentId, agentVersion, agentName, command, sandbox: kept };
  return { prepared, digest: whole, call };
}

/** A decision is about the very file or folder that was looked at, not about its name. */
function boundTo(beyond: readonly Permission[], prepared: PreparedCall): PreparedCall {
  if (beyond.length === 0) return prepared;
  const places = beyond.flatMap(({ allowance, identity }) =>
    allowance.kind === 'network' ? [] : [[`place ${allowance.path}`, identity] as const],
  );
  return { ...prepared, bound: { ...prepared.bound, ...Object.fromEntries(places) } };
}

/** The hash of the program's own file, where it lies in the workspace. */
function boundHash({ bound, program }: PreparedCall): string | null {
  return bound[`file ${program}`] ?? null;
}

/** A row as the operator reads it; a lookalike is named by what it looks like, not by its skeleton. */
function showToken(text: string): DisplayToken {
  const token = displayToken(text);
  const warnings = token.warnings.map((warning) => {
    const name = nameBehind(warning);
    return name === null ? warning : `lookalike:${name}`;
  });
  return { ...token, warnings };
}

/**
 * Asks the gate and, where the gate says so, the operator.
 * @param changed what differs from what was approved before, where this call was; it is then asked about in any case
 * @throws RunInterrupted when the app closes while the operator is asked
 */
export async function decide(
  tool: ActionTool,
  call: Call,
  considered: Considered,
  changed: string | null,
  environment: CallEnvironment,
): Promise<CallDecision> {
  const { settings, grants, record, signal, inbox, context } = environment;
  const remembered = changed === null ? grants.find(record.ref.sessionId, considered.call) : null;
  const decision = gate({
    tool,
    valid: true,
    mode: settings.mode,
    confirmTags: settings.confirmTags,
    stopped: signal.aborted,
    operator: environment.hasOperator(),
    weakSandbox: context.sandbox.isWeak === true,
    grant: remembered?.id ?? null,
  });
  if (decision.decision === 'run') return { type: 'run', grant: decision.grant };
  if (decision.decision !== 'ask') {
    const outcome = decision.decision === 'deny' ? decision.outcome : 'failed';
    return { type: 'denied', outcome, shown: shownCall(considered, record.session.workspace) };
  }
  const request = approvalRequest({
    ref: record.ref,
    session: record.session,
    ...call,
    tool: tool.name,
    prepared: considered.prepared,
    call: considered.call,
    gatedBy: decision.gatedBy,
    keptBy: tool.keptBy,
    sandbox: context.sandbox.tier,
    timeoutMs: settings.approvalTimeoutMs,
    changed,
  });
  record.enter('waiting');
  const settlement = await inbox.ask(request, considered.call);
  if (settlement.outcome === 'approved') return { type: 'approved', settlement };
  if (settlement.outcome === 'interrupted') throw new RunInterrupted();
  return { type: 'denied', outcome: settlement.outcome, details: detailsOf(settlement), shown: null };
}
