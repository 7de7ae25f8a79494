import type { ApprovalMode } from '@shared/states';
import type { ToolIo } from '../tools/tool';

/** The name under which a tool's own question stands in the inbox. */
const CONFIRM = 'confirm';

/**
 * A tool's own `confirm(question)` follows the mode (semantics: ask_human_*). Only the operator's explicit yes, or the
 * mode that was chosen so as not to be asked, is true.
 * @throws RunInterrupted when the app closes meanwhile
 */
export async function confirmed(question: string, mode: ApprovalMode, ask: ToolIo['ask']): Promise<boolean> {
  if (mode === 'auto') return true;
  if (mode !== 'ask') return false;
  const { outcome, answer } = await ask({ question, form: { form: 'confirm' } }, CONFIRM);
  return outcome === 'approved' && answer?.type === 'confirm' && answer.confirmed === true;
}
