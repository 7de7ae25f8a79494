import { z } from 'zod';
import { defineQuestion } from '../define-tool';

/** The most options that a person can choose from at a glance (semantics: ask_human). */
export const MAX_OPTIONS = 25;

const notBlank = z.string().refine((text) => text.trim() !== '', 'is blank');
const question = notBlank.describe('The question, in a sentence or two.');

export const askConfirmTool = defineQuestion({
  name: 'ask_human_confirm',
  description: 'Asks the operator a question to be answered with yes or no.',
  input: z.strictObject({ question }),
  ask: (input) => ({ question: input.question, form: { form: 'confirm' } }),
});

export const askSelectTool = defineQuestion({
  name: 'ask_human_select',
  description: 'Asks the operator to choose one of several options, or none of them.',
  input: z.strictObject({
    question,
    options: z
      .array(notBlank)
      .min(1)
      .max(MAX_OPTIONS)
      .refine((options) => new Set(options).size === options.length, 'holds an option twice')
      .describe('What to choose from, each different.'),
  }),
  ask: (input) => ({ question: input.question, form: { form: 'select', options: input.options } }),
});

export const askInputTool = defineQuestion({
  name: 'ask_human_input',
  description: 'Asks the operator for a text. The answer may be empty.',
  input: z.strictObject({ question, default: z.string().optional().describe('Stands in the field at first.') }),
  ask: (input) => ({ question: input.question, form: { form: 'input', default: input.default ?? '' } }),
});
