import { putQuestion } from './ask-question';
import type { Call, CallEnvironment } from './call-environment';

/** The name under which a tool's own question stands in the inbox. */
const CONFIRM = 'confirm';

/**
 * A tool's own `confirm(question)` follows the mode (semantics: ask_human_*). Only the operator's explicit yes, or the
 * mode that was chosen so as not to be asked, is true.
 * @throws RunInterrupted when the app closes meanwhile
 */
export async function confirmCall(question: string, call: Call, environment: CallEnvironment): Promise<boolean> {
  const { mode } = environment.settings;
  if (mode === 'auto') return true;
  if (mode !== 'ask') return false;
  const settlement = await putQuestion({ question, form: { form: 'confirm' } }, call, environment, CONFIRM);
  environment.record.enter('acting');
  const { outcome, answer } = settlement;
  return outcome === 'approved' && answer?.type === 'confirm' && answer.confirmed === true;
}
