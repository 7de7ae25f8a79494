import type { Request } from '@shared/requests';
import { denialWords } from '../timeline/phase';
import { answerWords } from '../timeline/Question';
import type { Ending } from './arrange';

/** How a request left the inbox, in words. Only what the operator did is said to be the operator's. */
export function endingWords(request: Request, ending: Ending): string {
  if (ending.is === 'gone') return 'no longer waiting: settled elsewhere, or its run ended';
  const { settlement } = ending;
  const { outcome, by, answer, reason } = settlement;
  if (request.kind === 'question') {
    if (by === 'operator' && answer !== undefined) {
      return `answered by you: ${answerWords({ form: request.answer }, settlement)}`;
    }
    return outcome === 'approved' ? 'answered' : denialWords(outcome, reason ?? '');
  }
  if (outcome === 'approved') return by === 'grant' ? 'approved: a remembered approval covers it' : 'approved by you';
  const words = answer?.type === 'decline' ? (answer.reason ?? '') : '';
  return denialWords(outcome, words);
}
