import type { Answer, Settlement } from '@shared/requests';
import { describe, expect, it } from 'vitest';
import { questionOutput } from '../../../../src/main/tools/human/answer';
import { humanTools } from '../../../../src/main/tools/registry';
import type { AskedQuestion } from '../../../../src/main/tools/tool';

function ask(name: string, input: unknown): AskedQuestion {
  const tool = humanTools().find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool.parse(JSON.stringify(input));
}

const confirm = ask('ask_human_confirm', { question: 'Go on?' });
const select = ask('ask_human_select', { question: 'Which?', options: ['red', 'blue'] });
const input = ask('ask_human_input', { question: 'Name?', default: 'x' });

describe('a question', () => {
  it('is asked in the form of its tool', () => {
    expect(confirm).toEqual({ question: 'Go on?', form: { form: 'confirm' } });
    expect(select).toEqual({ question: 'Which?', form: { form: 'select', options: ['red', 'blue'] } });
    expect(input).toEqual({ question: 'Name?', form: { form: 'input', default: 'x' } });
    expect(ask('ask_human_input', { question: 'Name?' }).form).toEqual({ form: 'input', default: '' });
  });

  it.each<[string, unknown, string]>([
    ['ask_human_confirm', {}, 'question is missing'],
    ['ask_human_confirm', { question: ' ' }, 'question'],
    ['ask_human_confirm', { question: 'a', default: true }, '"default" is not known'],
    ['ask_human_select', { question: 'a', options: [] }, 'options'],
    ['ask_human_select', { question: 'a', options: Array.from({ length: 26 }, String) }, 'options'],
    ['ask_human_select', { question: 'a', options: ['a', 'a'] }, 'twice'],
    ['ask_human_select', { question: 'a', options: ['a', ''] }, 'options[1]'],
    ['ask_human_select', { question: 'a', options: 'ab' }, 'options'],
    ['ask_human_input', { question: 'a', default: null }, 'default'],
  ])('is refused where its arguments are wrong: %s %j', (name, given, message) => {
    expect(() => ask(name, given)).toThrow(message);
  });
});

describe('the result of a question', () => {
  const answered = (answer: Answer): Settlement => ({ outcome: 'approved', by: 'operator', answer });
  const output = (asked: AskedQuestion, settlement: Settlement) => {
    const { content, isError } = questionOutput(asked, settlement);
    expect(isError).toBe(false);
    return content;
  };

  it.each<[AskedQuestion, Answer, string]>([
    [confirm, { type: 'confirm', confirmed: true }, '{"confirmed":true}'],
    [confirm, { type: 'confirm', confirmed: false, reason: 'too late' }, '{"confirmed":false,"reason":"too late"}'],
    [confirm, { type: 'confirm', confirmed: true, reason: '' }, '{"confirmed":true}'],
    [select, { type: 'select', selected: 1 }, '{"selected":"blue"}'],
    [select, { type: 'select', selected: null, reason: 'none fits' }, '{"selected":null,"reason":"none fits"}'],
    [select, { type: 'select', selected: 9 }, '{"selected":null}'],
    [input, { type: 'input', value: 'text' }, '{"value":"text"}'],
    [input, { type: 'input', value: '' }, '{"value":""}'],
    [input, { type: 'input', value: null }, '{"value":null}'],
    [confirm, { type: 'decline', reason: 'not now' }, '{"confirmed":false,"reason":"not now"}'],
    [input, { type: 'decline' }, '{"value":null,"reason":"the answer did not fit the question"}'],
    [
      confirm,
      { type: 'approve', remember: null },
      '{"confirmed":false,"reason":"the answer did not fit the question"}',
    ],
    [select, { type: 'confirm', confirmed: true }, '{"selected":null,"reason":"the answer did not fit the question"}'],
  ])('is the answer of the operator', (asked, answer, expected) => {
    expect(output(asked, answered(answer))).toBe(expected);
  });

  it.each<[Settlement['outcome'], Settlement['by'], string]>([
    ['expired', 'clock', 'nobody answered within the limit'],
    ['no-operator', 'run', 'no operator is attached to this run'],
    ['stopped', 'run', 'the run was stopped before an answer'],
    ['failed', 'app', 'the question could not be asked'],
  ])('is negative with a reason where nobody answered: %s', (outcome, by, reason) => {
    expect(output(confirm, { outcome, by })).toBe(JSON.stringify({ confirmed: false, reason }));
    expect(output(select, { outcome, by })).toBe(JSON.stringify({ selected: null, reason }));
    expect(output(input, { outcome, by })).toBe(JSON.stringify({ value: null, reason }));
    expect(output(confirm, { outcome, by })).not.toMatch(/declin|refus|operator (said|denied)/i);
  });

  it('tells that the operator declined, in the words that were given', () => {
    const declined: Settlement = { outcome: 'declined', by: 'operator' };
    expect(output(select, declined)).toBe('{"selected":null,"reason":"the operator declined to answer"}');
    const answer: Answer = { type: 'decline', reason: 'later' };
    expect(output(select, { ...declined, answer })).toBe('{"selected":null,"reason":"later"}');
    const silent: Answer = { type: 'decline' };
    expect(output(select, { ...declined, answer: silent })).toContain('the operator declined to answer');
  });

  it('does not exist for an interrupted question', () => {
    expect(() => questionOutput(confirm, { outcome: 'interrupted', by: 'app' })).toThrow('asked again on resume');
  });
});
