import { exposedGlobals } from './commands-of';
import type { CommandDescription, Flag, Positional } from './description';

type Schema = Readonly<Record<string, unknown>>;

/** The JSON Schema, of type object, that tells a model which arguments a command takes. */
export function inputSchema(command: CommandDescription): Schema {
  const all = [...command.args, ...command.flags, ...exposedGlobals(command)];
  return {
    type: 'object',
    properties: Object.fromEntries(all.map((argument) => [argument.name, property(argument)])),
    required: all.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function property(argument: Flag | Positional): Schema {
  const description = helpText(argument);
  return { ...shape(argument), ...(description === '' ? {} : { description }) };
}

function shape(argument: Flag | Positional): Schema {
  if ('map' in argument && argument.map) return { type: 'object', additionalProperties: value(argument) };
  if (argument.boolean) return { type: 'boolean' };
  return argument.cumulative ? { type: 'array', items: value(argument) } : value(argument);
}

function value({ enum: values, pattern }: Flag | Positional): Schema {
  if (values.length > 0) return { type: 'string', enum: values };
  // Numbers pass with exactly their digits; a pattern says nothing about numbers, so it asks for a text.
  return pattern === undefined ? { type: ['string', 'number'] } : { type: 'string', pattern };
}

function helpText(argument: Flag | Positional): string {
  const hints = argument.completions.length > 0 ? [`for example ${argument.completions.join(', ')}`] : [];
  const defaults = argument.default.length > 0 ? [`default ${argument.default.join(', ')}`] : [];
  const more = [...hints, ...defaults].join('; ');
  return [argument.help, more === '' ? '' : `(${more})`].filter((part) => part !== '').join(' ');
}
