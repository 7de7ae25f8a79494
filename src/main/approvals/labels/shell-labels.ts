import { inspectCommand } from './argv-rules';
import { Budget, type Findings, type Inspection, merge, noFindings } from './inspection';
import { isOutside } from './paths';
import { type LabelId, labelsOf, type RiskLabel } from './risk-label';
import { type Walk, walkScript } from './shell-walk';

/** In UTF-16 units. The parser's time for a hostile text grows with the square of its length: some 20 ms for this. */
export const MAX_SHELL_LENGTH = 8_000;

/** Levels of the syntax tree that are walked, far from the end of the stack. */
const MAX_TREE_DEPTH = 600;

export interface LabelOptions {
  /** The real path of the workspace. Without it every absolute path counts as outside. */
  readonly workspace?: string;
}

/**
 * What the operator should know about the text of the shell tool, worst first. Labels inform; they never authorise.
 * Never throws and takes bounded time: what is too long, too deep or not shell is `unparsed`, the worst label.
 */
export function labelsForShell(command: string, options: LabelOptions = {}): RiskLabel[] {
  return inspect(options, (into) => into.script(command));
}

/** The same for an argument vector that no shell interprets, shells and wrappers within it included. */
export function labelsForArgv(argv: readonly string[], options: LabelOptions = {}): RiskLabel[] {
  return inspect(options, (into) => into.command(argv.map((value) => ({ value, dynamic: false }))));
}

function inspect({ workspace }: LabelOptions, start: (into: Inspection) => void): RiskLabel[] {
  const found = noFindings();
  try {
    start(inspection(found, { budget: new Budget(), workspace, treeDepth: 0 }));
  } catch {
    // A label that is missing misleads; whatever went wrong in reading, the operator is told that it was not read.
    found.ids.add('unparsed');
  }
  // Plain names mean files elsewhere once the command has moved there.
  if (found.leavesFolder && (found.ids.has('writes') || found.ids.has('deletes'))) found.ids.add('outside');
  return labelsOf(found.ids);
}

interface State {
  readonly budget: Budget;
  readonly workspace: string | undefined;
  treeDepth: number;
}

function inspection(found: Findings, state: State): Inspection & Walk {
  const add = (...ids: readonly LabelId[]) => {
    for (const id of ids) found.ids.add(id);
  };
  const self: Inspection & Walk = {
    found,
    add,
    isOutside: (path) => isOutside(path, state.workspace),
    command(words) {
      if (!state.budget.spend(words.length + 1)) add('unparsed');
      else if (!state.budget.nested(() => inspectCommand(words, self))) add('unparsed');
    },
    script(source) {
      if (source.length > MAX_SHELL_LENGTH || !state.budget.spend(source.length / 8)) add('unparsed');
      else if (!state.budget.nested(() => walkScript(source, self))) add('unparsed');
    },
    apart: () => inspection(noFindings(), state),
    join: (from) => merge(found, from),
    step() {
      const left = state.budget.spend(1);
      if (!left) add('unparsed');
      return left;
    },
    deeper(inside) {
      if (state.treeDepth >= MAX_TREE_DEPTH) return add('unparsed');
      state.treeDepth += 1;
      inside();
      state.treeDepth -= 1;
    },
  };
  return self;
}
