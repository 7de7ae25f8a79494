import { putQuestion } from './ask-question';
import { type Call, type CallEnvironment, deny } from './call-environment';
import { runCall } from './run-call';

const AGAIN = 'Run it again';
const DONE = 'It is done: tell the agent so, with my reason as its result';
const SKIP = 'Skip it';

/**
 * A call that had started and has no result, because the app ended under it, may have run in part or whole. It is never
 * run again silently: the operator says what to do (semantics: resume).
 */
export async function resumeStartedCall(call: Call, environment: CallEnvironment): Promise<void> {
  const { block, turn } = call;
  const options = [SKIP, DONE, AGAIN];
  const question = `The app ended while ${block.name} ran: it may already have run. What shall happen with it? Its arguments: ${block.inputText}`;
  const settlement = await putQuestion({ question, form: { form: 'select', options } }, call, environment);
  const { answer } = settlement;
  if (settlement.outcome !== 'approved' || answer?.type !== 'select') {
    const outcome = settlement.outcome === 'approved' ? 'failed' : settlement.outcome;
    return deny(call, outcome, environment, 'It had started before the app ended, and may have run.');
  }
  const chosen = answer.selected === null ? SKIP : options[answer.selected];
  if (chosen === AGAIN) return runCall(call, environment);
  const words = answer.reason ?? '';
  const content =
    chosen === DONE
      ? `The app ended while this call ran. The operator says that it is done.${words === '' ? '' : ` Its result: ${words}`}`
      : 'The app ended while this call ran; it may have run in part. The operator chose not to run it again.';
  environment.record.append([
    { type: 'call_result', turn, callId: block.id, tool: block.name, content, isError: chosen !== DONE, durationMs: 0 },
  ]);
}
