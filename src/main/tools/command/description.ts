import { patternProblem } from '@shared/safe-pattern';
import { z } from 'zod';

/** The longest value that is matched against a pattern, in characters. */
export const MAX_PATTERN_VALUE = 1_024;

/** Goes into a token between dashes and an equals sign, so nothing in it may be mistaken for either. */
const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'must be letters, digits, "_", "." and inner "-"');

/** A word of a command's path stands in the argv as it is: never an option, never empty. */
const PathWord = z.string().regex(/^[^-\s\p{C}][^\s\p{C}]*$/u, 'must be one word that does not start with a dash');

/** Programs that leave a list empty print null for it, or nothing. */
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

/** One default or several; a manifest's author may write a number or a boolean as such. */
const Scalar = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]);
const Defaults = z
  .union([z.array(Scalar), Scalar.transform((value) => [value])])
  .nullish()
  .transform((values) => values ?? []);

/** A model writes the values that it is matched against, so it must not be one that can hang. */
const Pattern = z.string().superRefine((pattern, context) => {
  const problem = patternProblem(pattern, MAX_PATTERN_VALUE);
  if (problem !== null) context.addIssue({ code: 'custom', message: `"${pattern.slice(0, 60)}": ${problem}` });
});

const argumentShape = {
  name: Name,
  help: z.string().default(''),
  required: z.boolean().default(false),
  boolean: z.boolean().default(false),
  cumulative: z.boolean().default(false),
  hidden: z.boolean().default(false),
  default: Defaults,
  /** The only values that it takes. */
  enum: list(Scalar),
  /** A regular expression that a value must match somewhere. */
  pattern: Pattern.optional(),
  /** Hints, not a limit: introspection knows no enums. */
  completions: list(z.string()),
  place_holder: z.string().default(''),
  envar: z.string().optional(),
};

const flagShape = {
  ...argumentShape,
  /** Its false is written `--no-name`. */
  negatable: z.boolean().default(false),
  /** It takes an object: one `--name=key=value` a key. Only a manifest can say so. */
  map: z.boolean().default(false),
  short: z.union([z.number(), z.string()]).optional(),
};

const commandShape = {
  name: PathWord,
  help: z.string().default(''),
  help_long: z.string().default(''),
  aliases: list(z.string()),
  tags: list(z.string()),
  hidden: z.boolean().default(false),
};

const applicationShape = {
  name: z.string().min(1),
  help: z.string().default(''),
  version: z.string().default(''),
  author: z.string().default(''),
};

export const Flag = z.object(flagShape);
export type Flag = z.infer<typeof Flag>;

export const Positional = z.object(argumentShape);
export type Positional = z.infer<typeof Positional>;

const commandHead = z.object(commandShape);

/**
 * What stands before the positionals. Some programs, such as git, take only paths behind `--`, and revisions behind
 * `--end-of-options`; behind either of them nothing is an option any more.
 */
const EndOfOptions = z.enum(['--', '--end-of-options']);
type EndOfOptions = z.infer<typeof EndOfOptions>;

/** A command or, where it has commands of its own, a group of them. */
export interface CommandNode extends z.infer<typeof commandHead> {
  readonly end_of_options?: EndOfOptions | undefined;
  readonly flags: Flag[];
  readonly args: Positional[];
  readonly commands: CommandNode[];
}

const CommandNode: z.ZodType<CommandNode> = z.lazy(() =>
  z.object({ ...commandShape, flags: list(Flag), args: list(Positional), commands: list(CommandNode) }),
);

const StrictCommandNode: z.ZodType<CommandNode> = z.lazy(() =>
  z.strictObject({
    ...commandShape,
    end_of_options: EndOfOptions.optional(),
    flags: list(z.strictObject(flagShape)),
    args: list(z.strictObject(argumentShape)),
    commands: list(StrictCommandNode),
  }),
);

/** What an application prints about itself. What we do not know in it is left alone: it may be newer than we are. */
export const Introspection = z.object({ ...applicationShape, flags: list(Flag), commands: list(CommandNode) });
export type Introspection = z.infer<typeof Introspection>;

/** A program described by hand. Strict: a key that we do not know is a mistake of the author's. */
export const Manifest = z.strictObject({
  ...applicationShape,
  /** A name on PATH or a path. */
  program: z.string().min(1),
  flags: list(z.strictObject(flagShape)),
  commands: list(StrictCommandNode),
});
export type Manifest = z.infer<typeof Manifest>;

/** One command as a tool: what stands in the argv before its arguments, and every argument that the model may give. */
export const CommandDescription = z
  .object({
    path: z.array(PathWord),
    help: z.string().default(''),
    tags: list(z.string()),
    flags: list(Flag),
    args: list(Positional),
    /** Flags of the application that this tool exposes. A name of the command's own wins over them. */
    globals: list(Flag),
    end_of_options: EndOfOptions.default('--'),
  })
  .superRefine(({ flags, args }, context) => {
    const early = args.slice(0, -1).find((arg) => arg.cumulative);
    if (early) context.addIssue({ code: 'custom', path: ['args'], message: `${early.name} repeats, but is not last` });
    const seen = new Set<string>();
    for (const { name } of [...flags, ...args]) {
      if (seen.has(name)) context.addIssue({ code: 'custom', message: `two arguments are named ${name}` });
      seen.add(name);
    }
  });
export type CommandDescription = z.infer<typeof CommandDescription>;

/** A pattern as JSON Schema means it: it may match anywhere in the value. */
export function compilePattern(pattern: string): RegExp {
  return new RegExp(pattern, 'u');
}
