import { detailsOf } from '../approvals/denial';
import { putQuestion } from './ask-question';
import { type CallEnvironment, deny } from './call-environment';
import type { OpenCall } from './conversation';
import { runCall } from './run-call';

const SKIP = 'Skip it';
const DONE = 'It is done: I say what its result was';
const AGAIN = 'Run it again';
const OPTIONS = [SKIP, DONE, AGAIN];

/** What is known of it: of one that a file tells of, nothing but that. */
const unknown = ({ elsewhere }: OpenCall) =>
  elsewhere
    ? 'was started where this session comes from, as its file says, and not here; how it ended is not on record'
    : 'was started, and how it ended is not on record';

/**
 * A call that had started and has no result, because the app ended under it, or the session was forked or exported while
 * it ran, may have run in part or whole. It is never run again silently: the operator says what to do (semantics: resume). To run it
 * again it goes through the gate again.
 */
export async function resumeStartedCall(call: OpenCall, environment: CallEnvironment): Promise<void> {
  const { name, inputText } = call.block;
  const question = `${name} ${unknown(call)}: it may already have run, in part or whole. What shall happen with it? Its arguments: ${inputText}`;
  const form = { form: 'select' as const, options: OPTIONS };
  const settlement = await putQuestion({ question, form }, call, environment);
  const { outcome, answer, reason } = settlement;
  if (outcome !== 'approved' || answer?.type !== 'select') {
    const why = outcome === 'approved' ? 'failed' : outcome;
    return deny(call, why, environment, detailsOf(settlement));
  }
  const chosen = answer.selected === null ? SKIP : OPTIONS[answer.selected];
  if (chosen === AGAIN) return runCall(call, environment);
  if (chosen === DONE) return markAsDone(call, reason, environment);
  const words = reason === undefined ? '' : ` Their words: ${reason}`;
  record(call, environment, {
    content: `This call ${unknown(call)}; it may have run, in part or whole. The operator chose not to run it again.${words}`,
    isError: true,
  });
}

/** The operator types what the call came to; what they said with their choice already is that, too. */
async function markAsDone(call: OpenCall, said: string | undefined, environment: CallEnvironment): Promise<void> {
  const question = `What was the result of ${call.block.name}? The agent is told just this; leave it empty if there is nothing to tell.`;
  const form = { form: 'input' as const, default: said ?? '' };
  const settlement = await putQuestion({ question, form }, call, environment);
  const typed = settlement.answer?.type === 'input' ? settlement.answer.value : null;
  const result = typed ?? said ?? '';
  const known = result === '' ? 'They gave no result.' : `Its result, in their words: ${result}`;
  record(call, environment, {
    content: `This call ${unknown(call)}. The operator says that it is done. ${known}`,
    isError: false,
  });
}

function record(
  { block, turn, refused, elsewhere }: OpenCall,
  environment: CallEnvironment,
  { content, isError }: { readonly content: string; readonly isError: boolean },
): void {
  const { id: callId, name: tool } = block;
  // It was running again, with more than the sandbox had allowed it before.
  const had = elsewhere ? 'The file says that it had run there and ended' : 'Before that it had run and ended';
  const before = refused === null ? '' : ` ${had}; what that came to: ${refused.content}`;
  const result = { content: `${content}${before}`, isError };
  environment.record.append([{ type: 'call_result', turn, callId, tool, ...result, durationMs: 0 }]);
}
