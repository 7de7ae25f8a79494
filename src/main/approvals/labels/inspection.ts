import type { LabelId } from './risk-label';

/** One word of a command. `dynamic`: a part of it is put in by the shell when it runs. */
export interface Arg {
  readonly value: string;
  readonly dynamic: boolean;
}

/** What was found in a part of a command. Parts are inspected alone and then merged into the whole. */
export interface Findings {
  readonly ids: Set<LabelId>;
  /** It runs what stands in its arguments, or in files that they name, as code. */
  runsCode: boolean;
  /** It runs what comes in on its standard input as code. */
  readsCode: boolean;
  /** It moves to a folder outside the workspace, so that plain names mean files there. */
  leavesFolder: boolean;
}

export function noFindings(): Findings {
  return { ids: new Set(), runsCode: false, readsCode: false, leavesFolder: false };
}

export function merge(into: Findings, from: Findings): void {
  for (const id of from.ids) into.ids.add(id);
  into.runsCode ||= from.runsCode;
  into.readsCode ||= from.readsCode;
  into.leavesFolder ||= from.leavesFolder;
}

/** What the rules for one program may do with what they see. */
export interface Inspection {
  readonly found: Findings;
  add(...ids: readonly LabelId[]): void;
  /** Inspects words that the program runs as a command. */
  command(words: readonly Arg[]): void;
  /** Inspects a text that the program hands to a shell. */
  script(source: string): void;
  /** Whether a path, as written, lies outside the workspace. */
  isOutside(path: string): boolean;
}

/** Deeper nesting of `sh -c` than anyone writes for an honest reason. */
const MAX_DEPTH = 12;

/**
 * Words and syntax nodes that are looked at before giving up, and characters parsed, eight for one. Several times what
 * the longest honest command needs, and some tens of milliseconds.
 */
const MAX_WORK = 20_000;

/** Keeps the inspection of a hostile command short. */
export class Budget {
  private work = MAX_WORK;
  private depth = 0;

  /** Counts work as done. False: there was too much of it, and the command is to be labelled as not readable. */
  spend(work: number): boolean {
    this.work -= work;
    return this.work >= 0;
  }

  /** Does one more level of nesting, unless there are too many. */
  nested(inside: () => void): boolean {
    if (this.depth >= MAX_DEPTH) return false;
    this.depth += 1;
    inside();
    this.depth -= 1;
    return true;
  }
}
