import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { Answer, Settlement } from '@shared/requests';
import type { AskedQuestion } from '../tool';

/** As many as a question of a model may have. */
const MAX_OPTIONS = 25;

/** Of one elicitation; a longer form is no question any more. */
const MAX_FIELDS = 10;

/** A question of a server's, as the operator is asked it, and what their answer is to the server. */
export interface ElicitationQuestion {
  readonly asked: AskedQuestion;
  answer(answer: Answer): ElicitResult;
}

type Property = ElicitRequestFormParams['requestedSchema']['properties'][string];
type Value = string | number | boolean;

const DECLINED: ElicitResult = { action: 'decline' };
const CANCELLED: ElicitResult = { action: 'cancel' };
const accepted = (content: Record<string, Value>): ElicitResult => ({ action: 'accept', content });

/**
 * What a server asks for, as questions of the inbox that are put one after the other: nothing or a yes-or-no as a
 * confirmation, one of a few texts as a choice, a text or a number as an input. Null where there is anything else among
 * them, or too many: then all of it is declined, and nobody is asked.
 */
export function elicitationQuestions(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
): readonly ElicitationQuestion[] | null {
  const properties = Object.entries(requestedSchema.properties);
  if (properties.length > MAX_FIELDS) return null;
  if (properties.length === 0) {
    return [
      {
        asked: { question: words(server, message), form: { form: 'confirm' } },
        answer: (answer) => (answer.type === 'confirm' && answer.confirmed ? accepted({}) : DECLINED),
      },
    ];
  }
  const questions = properties.map(([name, property], index) => {
    const about = property.description ?? property.title ?? name;
    const place = properties.length === 1 ? '' : ` (${index + 1} of ${properties.length})`;
    const required = properties.length === 1 || requestedSchema.required?.includes(name) === true;
    const question = askOne(name, property, words(server, message, `${about}${place}`));
    return question === null || required ? question : mayBeLeftOut(question);
  });
  const askable = questions.filter((question) => question !== null);
  return askable.length === questions.length ? askable : null;
}

/** One of several that the server can do without: no answer to it is no refusal of the others. */
function mayBeLeftOut({ asked, answer }: ElicitationQuestion): ElicitationQuestion {
  return {
    asked: { ...asked, question: `${asked.question}\nIt may be left out.` },
    answer: (given) => (isNothing(given) ? accepted({}) : answer(given)),
  };
}

function isNothing(answer: Answer): boolean {
  return (answer.type === 'input' && answer.value === null) || (answer.type === 'select' && answer.selected === null);
}

/** What the server is told of several answers: all of them together, or the first that is none. */
export function joined(results: readonly ElicitResult[]): ElicitResult {
  const none = results.find(({ action }) => action !== 'accept');
  return none ?? accepted(Object.assign({}, ...results.map(({ content }) => content)));
}

/** What the server is told: only what the operator said is an answer, and silence is none. */
export function elicitResult(question: ElicitationQuestion, { outcome, by, answer }: Settlement): ElicitResult {
  if (by !== 'operator') return CANCELLED;
  if (outcome !== 'approved' || answer === undefined) return DECLINED;
  return question.answer(answer);
}

/** Whoever answers has to know who asks and where the answer goes. */
function words(server: string, message: string, about?: string): string {
  const begin = `The MCP server ${server} asks, and gets your answer (never give it a secret): `;
  return `${begin}${message}${about === undefined ? '' : `\n${about}`}`;
}

function askOne(name: string, property: Property, question: string): ElicitationQuestion | null {
  if (property.type === 'boolean') {
    return {
      asked: { question, form: { form: 'confirm' } },
      answer: (answer) => (answer.type === 'confirm' ? accepted({ [name]: answer.confirmed }) : DECLINED),
    };
  }
  const choices = choicesOf(property);
  if (choices !== null) return choices.length === 0 ? null : askChoice(name, question, choices);
  if (property.type === 'array') return null;
  return {
    asked: { question, form: { form: 'input', default: String(property.default ?? '') } },
    answer(answer) {
      if (answer.type !== 'input' || answer.value === null) return DECLINED;
      const value = readValue(property, answer.value);
      // It would not be what the server asked for; that is not the operator's no.
      return value === null ? CANCELLED : accepted({ [name]: value });
    },
  };
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** Null where it is no choice; none where there are too many. */
function choicesOf(property: Property): readonly Choice[] | null {
  let choices: Choice[] | null = null;
  if ('enum' in property) {
    const titles = 'enumNames' in property ? (property.enumNames ?? []) : [];
    choices = property.enum.map((value, index) => ({ value, title: titles[index] ?? value }));
  } else if ('oneOf' in property) {
    choices = property.oneOf.map(({ const: value, title }) => ({ value, title }));
  }
  return choices !== null && choices.length > MAX_OPTIONS ? [] : choices;
}

function askChoice(name: string, question: string, choices: readonly Choice[]): ElicitationQuestion {
  // The title is the server's, so it does not stand alone for what is answered.
  const options = choices.map(({ value, title }) => (title === value ? value : `${title} (${value})`));
  return {
    asked: { question, form: { form: 'select', options } },
    answer(answer) {
      const chosen = answer.type === 'select' && answer.selected !== null ? choices[answer.selected] : undefined;
      return chosen === undefined ? DECLINED : accepted({ [name]: chosen.value });
    },
  };
}

function readValue(property: Exclude<Property, { type: 'boolean' | 'array' }>, text: string): Value | null {
  if (property.type === 'string') {
    const length = [...text].length;
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = property as {
      minLength?: number;
      maxLength?: number;
    };
    return length >= minLength && length <= maxLength ? text : null;
  }
  const value = Number(text.trim());
  if (text.trim() === '' || !Number.isFinite(value)) return null;
  if (property.type === 'integer' && !Number.isSafeInteger(value)) return null;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = property;
  return value >= minimum && value <= maximum ? value : null;
}
