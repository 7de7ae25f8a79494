import type { GrantId } from '@shared/ids';
import type { Answer, Request, Settlement } from '@shared/requests';

/** Why this answer does not fit this request, or null where it does. An approval is never made of anything else. */
export function checkAnswer(request: Request, answer: Answer): string | null {
  if (answer.type === 'decline') return null;
  if (request.kind === 'approval') {
    if (answer.type !== 'approve') return 'This request is approved or declined; it asks for nothing else.';
    const { remember } = answer;
    if (remember !== null && !request.remember.some((option) => option.scope === remember)) {
      return 'This approval cannot be remembered that way.';
    }
    return null;
  }
  if (answer.type !== request.answer.form) return `This question wants an answer of the kind "${request.answer.form}".`;
  if (answer.type === 'select' && request.answer.form === 'select' && answer.selected !== null) {
    if (answer.selected >= request.answer.options.length) return 'There is no such option.';
  }
  return null;
}

/** The settlement that an accepted answer makes: only an explicit approval, or the answer to a question, approves. */
export function settlementOf(answer: Answer, grantId: GrantId | undefined): Settlement {
  const given = grantId === undefined ? {} : { grantId };
  switch (answer.type) {
    case 'approve':
      return { outcome: 'approved', by: 'operator', answer, ...given };
    case 'decline':
      return {
        outcome: 'declined',
        by: 'operator',
        answer,
        ...(answer.reason === undefined ? {} : { reason: answer.reason }),
      };
    default:
      return {
        outcome: 'approved',
        by: 'operator',
        answer,
        ...(answer.reason === undefined ? {} : { reason: answer.reason }),
      };
  }
}
