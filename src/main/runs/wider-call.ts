import type { Allowance } from '@shared/allowances';
import type { Settlement } from '@shared/requests';
import { displayToken } from '../approvals/display/display-token';
import { approvalRequest, whatChanged } from '../approvals/request';
import { MAX_WIDER_QUESTIONS, whyNotWider } from '../approvals/wider';
import type { Refusal } from '../sandbox/refusal';
import type { Permission } from '../sandbox/wider/permission';
import { tierWith } from '../sandbox/wider/permission';
import type { ActionTool } from '../tools/tool';
import type { Call, CallEnvironment } from './call-environment';
import type { OpenCall, RefusedRun } from './conversation';
import { type Considered, consider } from './decide-call';
import { RunInterrupted, throwIfInterrupted } from './endings';
import { type Executed, executeCall } from './execute-call';
import { startedEvent } from './start-call';
import { type NotAgain, notAgainWords, ranAgainWords, withNote } from './wider-words';

/** A call that would run again, with what it would then be allowed. */
interface Wider extends Considered {
  readonly beyond: readonly Permission[];
}

/**
 * Takes a call that has run to its result. Where the sandbox kept it from something that an answer may open, what it came
 * to is put on record first, and then the operator is asked whether it may run once more.
 * @throws RunInterrupted when the app closes meanwhile: the question is then as open as before
 */
export async function finishRun(
  tool: ActionTool,
  call: Call,
  executed: Executed,
  environment: CallEnvironment,
  allowed: readonly Allowance[] = [],
): Promise<void> {
  const { record } = environment;
  const { content, isError, durationMs, refused } = executed;
  const asks = await whatToAsk(executed, call, environment, allowed);
  const { turn } = call;
  const { id: callId, name } = call.block;
  if (asks.length === 0 || refused === undefined) {
    record.append([{ type: 'call_result', turn, callId, tool: name, content, isError, durationMs }]);
    return;
  }
  const { exitCode } = refused;
  record.append([{ type: 'call_refused', turn, callId, tool: name, content, exitCode, durationMs, asks: [...asks] }]);
  const open = openCall(call, environment);
  if (open?.refused) await askForMore(tool, call, open.refused, environment);
}

/**
 * A call that had run when the app ended, and whose question was open: it is asked again, or its result stands.
 * @throws RunInterrupted when the app closes meanwhile
 */
export async function resumeRefusedCall(call: OpenCall, environment: CallEnvironment): Promise<void> {
  const tool = environment.tools.get(call.block.name);
  const { refused, settled } = call;
  if (tool?.kind !== 'action' || refused === null) return leaveAsItWas(call, 'changed', environment);
  // It was denied, and its run ended before that was on record with its result.
  if (settled !== null && settled.outcome !== 'approved') return leaveUnallowed(call, refused, settled, environment);
  await askForMore(tool, call, refused, environment);
}

/** The result of a call that ran and is not to run again: what it came to, and why it did not. */
export function leaveAsItWas(call: Call, why: NotAgain, environment: CallEnvironment, words?: string): void {
  const refused = openCall(call, environment)?.refused;
  if (!refused) throw new Error('There is nothing on record that this call came to.');
  const { content, durationMs, asks } = refused;
  const { id: callId, name: tool } = call.block;
  const note = notAgainWords(why, asks, environment.settings.approvalTimeoutMs, words);
  const noted = withNote(content, note);
  environment.record.append([
    { type: 'call_result', turn: call.turn, callId, tool, content: noted, isError: false, durationMs },
  ]);
}

/** The operator was asked, and did not say that it may. */
function leaveUnallowed(
  call: Call,
  { asks }: RefusedRun,
  { outcome, by, reason }: Settlement,
  environment: CallEnvironment,
): void {
  environment.unallowed.add(asks);
  leaveAsItWas(call, outcome === 'approved' ? 'failed' : outcome, environment, by === 'operator' ? reason : undefined);
}

function openCall({ block }: Call, { record }: CallEnvironment): OpenCall | undefined {
  return record.conversation.open.find((open) => open.block.id === block.id);
}

function whyNot({ settings, signal, hasOperator }: CallEnvironment) {
  return whyNotWider({ mode: settings.mode, stopped: signal.aborted, operator: hasOperator() });
}

/** What it would be allowed: what it was allowed, and something more. Nothing where nobody is to be asked. */
async function whatToAsk(
  { refused }: Executed,
  call: Call,
  environment: CallEnvironment,
  allowed: readonly Allowance[],
): Promise<readonly Allowance[]> {
  const asked = openCall(call, environment)?.refused?.number ?? 0;
  if (refused === undefined || asked >= MAX_WIDER_QUESTIONS || whyNot(environment) !== null) return [];
  const offered = await offer([...allowed.map(asRefusal), ...refused.from], environment);
  const more = offered.map(({ allowance }) => allowance).filter((thing) => !allowed.some((one) => isSame(one, thing)));
  const askable = more.filter((thing) => isPlain(thing, environment) && !environment.unallowed.has(thing));
  return askable.length === 0 ? [] : [...allowed, ...askable];
}

/** What cannot be shown as it is, or holds a secret, is not asked about. */
function isPlain(thing: Allowance, { redactor }: CallEnvironment): boolean {
  const texts = thing.kind === 'network' ? [thing.host ?? ''] : [thing.path, thing.nearestTo ?? thing.path];
  return texts.every((text) => displayToken(text).warnings.length === 0 && redactor.redact(text).text === text);
}

async function askForMore(
  tool: ActionTool,
  call: Call,
  refused: RefusedRun,
  environment: CallEnvironment,
): Promise<void> {
  const { signal } = environment;
  let changed: string | null = null;
  for (let question = refused.number; question <= MAX_WIDER_QUESTIONS; question += 1) {
    const wider = await considerWider(tool, call, refused.asks, environment);
    throwIfInterrupted(signal);
    const unasked = whyNot(environment);
    if (unasked !== null) return leaveAsItWas(call, unasked, environment);
    if (wider === null) return leaveAsItWas(call, 'changed', environment);
    const settlement = await ask(tool, call, refused, wider, changed, environment);
    if (settlement.outcome !== 'approved' || settlement.by !== 'operator') {
      return leaveUnallowed(call, refused, settlement, environment);
    }
    // What was shown is what runs, and in the very places that were shown.
    const again = await considerWider(tool, call, refused.asks, environment);
    throwIfInterrupted(signal);
    if (signal.aborted) return leaveAsItWas(call, 'stopped', environment);
    if (again === null) return leaveAsItWas(call, 'changed', environment);
    if (again.digest === wider.digest) return runAgain(tool, call, refused, again, environment);
    changed = whatChanged(wider.prepared, again.prepared, 'It has not run again.');
  }
  leaveAsItWas(call, 'changed', environment);
}

/** The call as it would run again; null where it or what it would be allowed is not what it was. */
async function considerWider(
  tool: ActionTool,
  call: Call,
  asks: readonly Allowance[],
  environment: CallEnvironment,
): Promise<Wider | null> {
  const beyond = await offer(asks.map(asRefusal), environment);
  const isWhole =
    asks.length === beyond.length && asks.every((one) => beyond.some((two) => isSame(one, two.allowance)));
  if (!isWhole) return null;
  const considered = await consider(tool, call, environment, beyond);
  return 'error' in considered ? null : { ...considered, beyond };
}

async function ask(
  tool: ActionTool,
  { block, turn }: Call,
  { exitCode, asks }: RefusedRun,
  { prepared, call, beyond }: Wider,
  changed: string | null,
  { record, settings, context, inbox }: CallEnvironment,
): Promise<Settlement> {
  const request = approvalRequest({
    ref: record.ref,
    session: record.session,
    block,
    turn,
    tool: tool.name,
    prepared,
    call,
    gatedBy: { because: 'wider', exitCode, allows: [...asks] },
    keptBy: tool.keptBy,
    sandbox: tierWith(context.sandbox.tier, beyond),
    timeoutMs: settings.approvalTimeoutMs,
    changed,
  });
  record.enter('waiting');
  // Without a call to remember it by, no grant can come of it, and none can answer it.
  const settlement = await inbox.ask(request, null);
  if (settlement.outcome === 'interrupted') throw new RunInterrupted();
  return settlement;
}

async function runAgain(
  tool: ActionTool,
  call: Call,
  { asks, exitCode }: RefusedRun,
  wider: Wider,
  environment: CallEnvironment,
): Promise<void> {
  const { record } = environment;
  const { workspace } = record.session;
  record.append([startedEvent(tool, call, wider, { allowedBy: 'operator', allows: [...asks] }, workspace)]);
  record.enter('acting');
  const executed = await executeCall(call, wider.prepared, environment, wider.beyond);
  const content = withNote(executed.content, ranAgainWords(asks, exitCode));
  await finishRun(tool, call, { ...executed, content }, environment, asks);
}

async function offer(wanted: readonly Refusal[], { context }: CallEnvironment): Promise<readonly Permission[]> {
  const { workspace, environment, sandbox } = context;
  return (await sandbox.offer?.(wanted, { workspace, environment })) ?? [];
}

function asRefusal(thing: Allowance): Refusal {
  return thing.kind === 'network' ? thing : { kind: thing.kind, path: thing.path };
}

/** Whether two allowances are of the same place; for which file it was wanted does not matter. */
function isSame(one: Allowance, other: Allowance): boolean {
  if (one.kind === 'network' || other.kind === 'network') {
    return one.kind === 'network' && other.kind === 'network' && one.host === other.host && one.port === other.port;
  }
  return one.kind === other.kind && one.path === other.path && one.is === other.is;
}
