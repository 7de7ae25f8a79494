import type { FileProblem } from '@shared/agent-file';
import type { Sandbox } from '../sandbox/process';
import { explainUnresolved, resolveProgram } from '../sandbox/program';
import { commandTool, type Program } from '../tools/command/command-tool';
import { commandsOf, isFrameworkFlag } from '../tools/command/commands-of';
import type { Introspection, Manifest } from '../tools/command/description';
import { introspect } from '../tools/command/introspect';
import { DENY_TAG, tagWarnings } from '../tools/command/tags';
import type { ApplicationReference, Placed } from './definition';
import { inFile } from './load-applications';
import { nearest } from './nearest';
import { readIntrospection } from './read-described';
import type { SourcedTool } from './tool-set';

/** A flag of a whole application, which its tools may expose. */
export interface GlobalFlag {
  readonly application: string;
  readonly name: string;
  readonly help: string;
  readonly required: boolean;
  readonly exposed: boolean;
}

export interface WrappedTools {
  readonly tools: readonly SourcedTool[];
  readonly globalFlags: readonly GlobalFlag[];
  readonly warnings: readonly string[];
  /** What keeps the agent from running. */
  readonly problems: readonly FileProblem[];
}

interface Application {
  readonly reference: ApplicationReference;
  readonly description: Introspection | Manifest;
  readonly program: Program;
}

type Environment = Readonly<Record<string, string>>;

/** A program that was found, or why it was not. */
type Located = { readonly reference: ApplicationReference } & (
  | { readonly program: Program }
  | { readonly problem: FileProblem }
);

/** Finds the programs of an agent's applications as its commands would. Relative places on the PATH do not count. */
export async function locateApplications(
  references: readonly ApplicationReference[],
  environment: Environment,
): Promise<readonly Located[]> {
  return Promise.all(
    references.map(async (reference): Promise<Located> => {
      const { program: name, place } = reference;
      const search = { cwd: '/', environment };
      const resolved = await resolveProgram(name, search);
      if (resolved !== null) return { reference, program: { name, resolved } };
      return { reference, problem: { message: await explainUnresolved(name, search), ...place } };
    }),
  );
}

/**
 * The commands of every application that an agent names, as tools; none that is tagged ai:deny. Fisk applications are
 * run to describe themselves, in the sandbox and with the environment that their commands get.
 */
export async function wrappedTools(
  located: readonly Located[],
  globalFlags: readonly Placed<string>[],
  environment: Environment,
  sandbox: Sandbox,
): Promise<WrappedTools> {
  const found = await Promise.all(located.map((one) => describe(one, environment, sandbox)));
  const problems = found.flatMap((one) => ('problems' in one ? one.problems : []));
  if (problems.length > 0) return { tools: [], globalFlags: [], warnings: [], problems };
  const applications = found.flatMap((one) => ('problems' in one ? [] : [one]));
  const names = globalFlags.map(({ value }) => value);
  const all = applications.map((application) => toolsOf(application, names));
  return {
    tools: all.flatMap(({ tools }) => tools),
    warnings: all.flatMap(({ warnings }) => warnings),
    globalFlags: applications.flatMap((application) => globalFlagsOf(application, names)),
    problems: globalFlags.flatMap((flag) => globalFlagProblem(flag, applications)),
  };
}

async function describe(
  located: Located,
  environment: Environment,
  sandbox: Sandbox,
): Promise<Application | { readonly problems: readonly FileProblem[] }> {
  if ('problem' in located) return { problems: [located.problem] };
  const { reference, program } = located;
  if (reference.kind === 'manifest') return { reference, program, description: reference.manifest };
  const { name } = program;
  const failed = (...messages: string[]) => ({
    problems: messages.map((message) => ({ message, ...reference.place })),
  });
  const said = await introspect({ program: name, environment, sandbox });
  if (!said.ok) return failed(said.error.startsWith(name) ? said.error : `${name}: ${said.error}`);
  const read = readIntrospection(said.text);
  if (read.ok) return { reference, program, description: read.value };
  return failed(...read.problems.map((problem) => inFile(`${name} --fisk-introspect`, problem)));
}

function toolsOf({ description, program, reference }: Application, globalFlags: readonly string[]) {
  const tools: SourcedTool[] = [];
  const warnings: string[] = [];
  for (const described of commandsOf(description, globalFlags)) {
    // What cannot be a tool was a problem of the document already.
    if (!described.ok || described.command.tags.includes(DENY_TAG)) continue;
    const tool = commandTool(described.command, program);
    warnings.push(...tagWarnings(tool.name, tool.tags));
    tools.push({ tool, source: description.name, place: reference.place });
  }
  if (tools.length === 0) warnings.push(`${description.name}: every command is tagged ai:deny, so it brings no tool`);
  return { tools, warnings };
}

function globalFlagsOf({ description }: Application, exposed: readonly string[]): GlobalFlag[] {
  return description.flags
    .filter(({ name, hidden }) => !hidden && !isFrameworkFlag(name))
    .map(({ name, help, required }) => ({
      application: description.name,
      name,
      help,
      required,
      exposed: required || exposed.includes(name),
    }));
}

/** A name in `global_flags` has to be a flag that an application really has and that may be exposed. */
function globalFlagProblem({ value, place }: Placed<string>, applications: readonly Application[]): FileProblem[] {
  const flags = applications.flatMap(({ description }) => description.flags);
  const usable = flags.filter(({ name, hidden }) => !hidden && !isFrameworkFlag(name)).map(({ name }) => name);
  if (usable.includes(value)) return [];
  const problem = (words: string) => [{ message: `global_flags: "${value}" ${words}`, ...place }];
  if (isFrameworkFlag(value))
    return problem('makes a command print something in place of working: it is never exposed');
  if (flags.some(({ name }) => name === value)) return problem('is a hidden flag, and those are never exposed');
  const bare = value.replace(/^-+/, '');
  if (bare !== value && usable.includes(bare)) return problem(`is written without dashes: "${bare}"`);
  const meant = nearest(value, usable);
  const advice = meant === null ? `there ${known(usable)}` : `did you mean "${meant}"?`;
  return problem(`is no flag of an application of this agent: ${advice}`);
}

function known(names: readonly string[]): string {
  return names.length === 0 ? 'are none' : `are ${[...new Set(names)].slice(0, 20).join(', ')}`;
}
