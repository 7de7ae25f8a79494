import { covers } from '../../sandbox/paths';
import { ToolError } from '../tool';
import { type FileRules, isHidden } from './file-rules';

/** `start`: to start a command in. */
export type Use = 'read' | 'write' | 'start';

/** So many of the paths that the agent file opens are named in an error. */
const NAMED = 10;

/**
 * Refuses a real place that is beyond what a run may use in this way.
 * @param given as the model wrote it; `isLocal`: relative, or by its name in the workspace
 */
export function refuseUnreachable(
  rules: FileRules,
  place: string,
  given: { readonly path: string; readonly isLocal: boolean },
  use: Use,
): void {
  if (isHidden(rules, place))
    throw new ToolError(`${given.path} lies in the data of Sayso itself, which no tool reaches.`);
  if (covers(rules.workspace, place)) return;
  if (use === 'start') throw new ToolError(`${given.path} lies outside the workspace. Commands are started in it.`);
  const isWritable = rules.write.some((folder) => covers(folder, place));
  const readable = rules.read.find((folder) => covers(folder, place));
  if (!isWritable && readable === undefined) throw outside(rules, given.path);
  if (given.isLocal) {
    throw new ToolError(`${given.path} lies outside the workspace, at ${place}. Give that path to reach it.`);
  }
  if (use === 'read' || isWritable) return;
  throw new ToolError(
    `${place} can only be read: the agent file names ${readable} under sandbox.read. What is to be written has to stand under sandbox.write.`,
  );
}

function outside({ workspace, read, write }: FileRules, path: string): ToolError {
  const list = (key: string, paths: readonly string[]): string[] => {
    const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
    return paths.length === 0 ? [] : [`${key}: ${paths.slice(0, NAMED).join(', ')}${more}`];
  };
  const opened = [...list('sandbox.read', read), ...list('sandbox.write', write)].join('; ');
  return new ToolError(
    `${path} lies outside the workspace ${workspace}. Beyond it only what the agent file names under sandbox.read can be read, and under sandbox.write be written${opened === '' ? '; it names nothing' : ` (${opened})`}.`,
  );
}
