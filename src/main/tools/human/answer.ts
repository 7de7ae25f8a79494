import type { QuestionForm, Settlement } from '@shared/requests';
import type { AskedQuestion, ToolOutput } from '../tool';

/**
 * What the model is told of a question, as semantics prescribe for each form. Without an answer of the operator it is
 * the negative one, with a reason that is never worded as the operator's decision.
 * @throws Error for an interrupted question: it has no result and is asked again on resume.
 */
export function questionOutput(asked: AskedQuestion, settlement: Settlement): ToolOutput {
  const { form } = asked;
  const { answer } = settlement;
  const reason = reasonOf(settlement);
  if (settlement.by === 'operator' && answer !== undefined) {
    if (form.form === 'confirm' && answer.type === 'confirm')
      return output('confirmed', answer.confirmed, answer.reason);
    if (form.form === 'input' && answer.type === 'input') return output('value', answer.value, answer.reason);
    if (form.form === 'select' && answer.type === 'select') {
      const selected = answer.selected === null ? null : (form.options[answer.selected] ?? null);
      return output('selected', selected, answer.reason);
    }
    if (answer.type === 'decline') return negative(form, answer.reason ?? reason);
  }
  return negative(form, reason);
}

function reasonOf({ outcome, reason }: Settlement): string {
  switch (outcome) {
    case 'interrupted':
      throw new Error('An interrupted question has no result: it is asked again on resume.');
    case 'expired':
      return 'nobody answered within the limit';
    case 'no-operator':
      return 'no operator is attached to this run';
    case 'stopped':
      return 'the run was stopped before an answer';
    case 'declined':
      return reason ?? 'the operator declined to answer';
    case 'readonly':
      return 'this run is in readonly mode';
    case 'failed':
      return `the question could not be asked${reason === undefined ? '' : `: ${reason}`}`;
    case 'approved':
      return 'the answer did not fit the question';
  }
}

function negative(form: QuestionForm, reason: string): ToolOutput {
  switch (form.form) {
    case 'confirm':
      return output('confirmed', false, reason);
    case 'select':
      return output('selected', null, reason);
    case 'input':
      return output('value', null, reason);
  }
}

function output(key: string, value: string | boolean | null, reason: string | undefined): ToolOutput {
  const given = reason === undefined || reason.trim() === '' ? {} : { reason };
  return { content: JSON.stringify({ [key]: value, ...given }), isError: false };
}
