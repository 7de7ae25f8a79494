import type { Settlement } from '@shared/requests';
import { questionRequest } from '../approvals/request';
import { questionOutput } from '../tools/human/answer';
import { type AskedQuestion, type QuestionTool, ToolError } from '../tools/tool';
import { type Call, type CallEnvironment, reject } from './call-environment';
import { RunInterrupted } from './endings';
import { spelledCall } from './shown-call';

/**
 * Puts a model's question to the operator, and the answer on record.
 * @param settled how it was settled in a run that ended before that was its result: it is not asked again
 * @throws RunInterrupted when the app closes meanwhile: no answer is recorded, and it is asked again on resume
 */
export async function askQuestion(
  tool: QuestionTool,
  call: Call,
  environment: CallEnvironment,
  settled: Settlement | null = null,
): Promise<void> {
  let asked: AskedQuestion;
  try {
    asked = tool.parse(call.block.inputText);
  } catch (error) {
    if (error instanceof ToolError) return reject(call, environment, error.message);
    throw error;
  }
  const began = Date.now();
  const settlement = isOf(asked, settled) ? settled : await putQuestion(asked, call, environment);
  const { record } = environment;
  const { content, isError } = questionOutput(asked, settlement);
  const { outcome } = settlement;
  // Nobody could be asked: no request tells what about.
  const unasked = outcome === 'no-operator' ? { ...spelledCall(call), outcome } : {};
  const durationMs = Date.now() - began;
  const { block, turn } = call;
  record.append([
    { type: 'call_result', turn, callId: block.id, tool: tool.name, content, isError, durationMs, ...unasked },
  ]);
}

/** Whether it is about this question: what a tool asks may not be what it was. */
function isOf({ form }: AskedQuestion, settled: Settlement | null): settled is Settlement {
  return settled !== null && (settled.outcome !== 'approved' || settled.answer?.type === form.form);
}

/**
 * Asks the operator something about a call and waits for how that ends.
 * @param tool the name under which the request stands in the inbox
 * @throws RunInterrupted when the app closes meanwhile
 */
export async function putQuestion(
  asked: AskedQuestion,
  { block, turn }: Call,
  { record, settings, inbox, signal, hasOperator }: CallEnvironment,
  tool: string = block.name,
): Promise<Settlement> {
  if (signal.aborted) return { outcome: 'stopped', by: 'run' };
  if (!hasOperator()) return { outcome: 'no-operator', by: 'app' };
  const request = questionRequest({
    ref: record.ref,
    session: record.session,
    block,
    turn,
    tool,
    asked,
    timeoutMs: settings.approvalTimeoutMs,
  });
  record.enter('waiting');
  const settlement = await inbox.ask(request, null);
  if (settlement.outcome === 'interrupted') throw new RunInterrupted();
  return settlement;
}
