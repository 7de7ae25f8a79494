import { type CommandArgument, forEachChild, parse, type Redirection, type SyntaxNode } from 'unbash';
import { inspectTarget } from './argv-rules';
import type { Arg, Findings, Inspection } from './inspection';
import { isHarmless, isSocket } from './paths';
import { joined } from './wrappers';

type NodeOf<T extends SyntaxNode['type']> = Extract<SyntaxNode, { type: T }>;

/** What the walk needs beyond an inspection. */
export interface Walk {
  /** An inspection whose findings are kept apart. */
  apart(): Inspection & Walk;
  /** Adds what was kept apart. */
  join(found: Findings): void;
  /** Counts a step. False: too many, the walk ends here. */
  step(): boolean;
  /** Does what is one level deeper, unless that is too deep. */
  deeper(inside: () => void): void;
}

/** What the shell puts into a word when it runs it. */
const DYNAMIC: ReadonlySet<string> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
]);

/** In the name of a program these hide it as well as an expansion does. */
const PATTERNS: ReadonlySet<string> = new Set(['Glob', 'ExtendedGlob', 'BraceExpansion']);

/** Inspects a whole shell text. What the parser reports as wrong makes it `unparsed`; what it read is inspected still. */
export function walkScript(source: string, into: Inspection & Walk): void {
  visit(parse(source), into);
}

function visit(node: SyntaxNode, into: Inspection & Walk): void {
  if (!into.step()) return;
  switch (node.type) {
    case 'Script':
      if ('errors' in node && node.errors !== undefined && node.errors.length > 0) into.add('unparsed');
      break;
    case 'Statement':
      if (node.background) into.add('background');
      break;
    case 'Coproc':
      into.add('background');
      break;
    case 'Redirect':
      redirection(node, into);
      break;
    case 'HereDoc':
      // The shell takes the rest of the text for the document and goes on; whoever wrote it meant something else.
      if (node.closing === undefined) into.add('unparsed');
      break;
    case 'Pipeline':
      pipeline(node, into);
      return;
    case 'Command':
      command(node, into);
      return;
  }
  children(node, into);
}

function children(node: SyntaxNode, into: Inspection & Walk): void {
  into.deeper(() => forEachChild(node, (child) => visit(child, into)));
}

function redirection(node: NodeOf<'Redirect'>, into: Inspection): void {
  const path = node.target?.value ?? '';
  if (isSocket(path)) into.add('network');
  // `2>&1` and `>&-` name descriptors, not files.
  else if (node.operator === '<' || node.operator === '<&' || isHarmless(path)) return;
  else if (!(node.operator === '>&' && /^(?:\d+|-|\d+-)$/.test(path))) inspectTarget(path, into);
}

/** What one stage prints, the next may run: `curl … | sh`. */
function pipeline(node: NodeOf<'Pipeline'>, into: Inspection & Walk): void {
  let network = false;
  let text: string | null = null;
  node.commands.forEach((stage, index) => {
    const part = into.apart();
    visit(stage, part);
    if (index > 0 && part.found.readsCode) {
      if (network) part.add('remote-code');
      else if (text === null) part.add('dynamic');
      else part.script(text);
    }
    network ||= part.found.ids.has('network');
    text = printed(stage);
    into.join(part.found);
  });
}

/** What an `echo`, a `printf` or a here-document into `cat` prints; null where that is not known from the text. */
function printed(stage: SyntaxNode): string | null {
  if (stage.type !== 'Command') return null;
  const args = stage.args.map(argument);
  const name = stage.name?.value;
  if (name === 'cat' && args.length === 0) return documentOf(stage.redirects);
  if (name !== 'echo' && name !== 'printf') return null;
  if (args.some((arg) => arg.dynamic)) return null;
  return joined(args.filter((arg) => !/^-[neE]+$/.test(arg.value))).replaceAll('\\n', '\n');
}

/** The text that comes in by a here-document or a here-string. */
function documentOf(redirects: readonly Redirection[]): string | null {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return redirect.body.text;
    if (redirect.type === 'HereString') return redirect.target?.value ?? '';
  }
  return null;
}

function command(node: NodeOf<'Command'>, into: Inspection & Walk): void {
  // What is in substitutions, here-documents and redirections runs whatever the command is.
  const inner = into.apart();
  children(node, inner);
  const own = into.apart();
  if (node.name !== undefined) {
    const name = argument(node.name);
    const dynamic = name.dynamic || someParts(node.name, PATTERNS);
    own.command([{ value: name.value, dynamic }, ...node.args.map(argument)]);
  }
  const document = documentOf(node.redirects);
  if (own.found.readsCode && document !== null) own.script(document);
  if (
    own.found.readsCode &&
    node.redirects.some((redirect) => redirect.type === 'Redirect' && redirect.operator === '<')
  )
    own.add('script');
  if ((own.found.runsCode || own.found.readsCode) && inner.found.ids.has('network')) own.add('remote-code');
  into.join(inner.found);
  into.join(own.found);
}

function argument(word: CommandArgument): Arg {
  if (word.type === 'Word') return { value: word.value, dynamic: someParts(word, DYNAMIC) };
  const dynamic = word.value.type !== 'Word' || someParts(word.value, DYNAMIC);
  return { value: `${word.name}=${word.value.type === 'Word' ? word.value.value : ''}`, dynamic };
}

function someParts(word: NodeOf<'Word'>, types: ReadonlySet<string>): boolean {
  return (word.parts ?? []).some(
    (part) => types.has(part.type) || ('parts' in part && (part.parts ?? []).some((child) => types.has(child.type))),
  );
}
