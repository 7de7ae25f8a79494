import type { CallPreview } from '@shared/requests';
import type { KeptBy } from '@shared/states';
import { z } from 'zod';
import { inFileLane } from './file-lane';
import { parseArguments } from './json-arguments';
import { quoted } from './quoted';
import {
  type ActionTool,
  type AskedQuestion,
  type CallOutline,
  type PreparedCall,
  type QuestionTool,
  type ToolContext,
  ToolError,
} from './tool';

interface Definition<S extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** A strict object: z.strictObject. */
  readonly input: S;
}

interface ActionDefinition<S extends z.ZodObject> extends Definition<S> {
  readonly dangerous: boolean;
  readonly keptBy: KeptBy;
  readonly prepare: (input: z.output<S>, context: ToolContext) => Promise<PreparedCall>;
  /** See ActionTool. */
  readonly outline?: (input: z.output<S>, context: ToolContext) => Promise<CallOutline>;
}

interface QuestionDefinition<S extends z.ZodObject> extends Definition<S> {
  ask(input: z.output<S>): AskedQuestion;
}

/** A built-in tool that acts: its arguments are checked by the schema that the model is shown. */
export function defineAction<S extends z.ZodObject>(definition: ActionDefinition<S>): ActionTool {
  const { name, description, input, dangerous, keptBy, prepare, outline } = definition;
  const checked =
    <T>(look: (given: z.output<S>, context: ToolContext) => Promise<T>) =>
    async (inputText: string, context: ToolContext): Promise<T> => {
      const given = checkArguments(name, input, inputText);
      return inFileLane(() => look(given, context));
    };
  return {
    kind: 'action',
    source: 'computer',
    name,
    description,
    dangerous,
    keptBy,
    tags: [],
    inputSchema: modelSchema(input),
    prepare: checked(prepare),
    ...(outline === undefined ? {} : { outline: checked(outline) }),
  };
}

/** A built-in tool that asks the operator. */
export function defineQuestion<S extends z.ZodObject>(definition: QuestionDefinition<S>): QuestionTool {
  const { name, description, input } = definition;
  return {
    kind: 'question',
    source: 'human',
    name,
    description,
    tags: [],
    inputSchema: modelSchema(input),
    parse: (inputText) => definition.ask(checkArguments(name, input, inputText)),
  };
}

/** The preview of a call that is neither a process nor a change of a file: what was given, in the schema's order. */
export function argumentsPreview(schema: z.ZodObject, input: Readonly<Record<string, unknown>>): CallPreview {
  const rows = Object.keys(schema.shape)
    .filter((name) => input[name] !== undefined)
    .map((name) => ({ name, value: typeof input[name] === 'string' ? input[name] : JSON.stringify(input[name]) }));
  return { kind: 'arguments', rows };
}

/** @throws ToolError that lists everything that is wrong, by the names of the keys. */
function checkArguments<S extends z.ZodObject>(tool: string, schema: S, inputText: string): z.output<S> {
  const given = parseArguments(inputText);
  const checked = schema.safeParse(given);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.flatMap((issue) => inWords(issue, given));
  throw new ToolError(`Wrong arguments for ${tool}: ${problems.join('; ')}.`);
}

function inWords(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${quoted(key)} is not known`);
  const [key, ...rest] = issue.path;
  if (key === undefined) return [issue.message];
  if (rest.length === 0 && !Object.hasOwn(given, key)) return [`${String(key)} is missing`];
  const name = rest.reduce<string>((path, step) => `${path}[${String(step)}]`, String(key));
  return [`${name}: ${issue.message}`];
}

function modelSchema(schema: z.ZodObject): Readonly<Record<string, unknown>> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input' });
  return described;
}
