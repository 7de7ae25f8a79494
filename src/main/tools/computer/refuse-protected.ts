import { lstat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { covers } from '../../sandbox/paths';
import { exactly, loosely, protectedAt, protectedIn } from '../../sandbox/reach/protected';
import { ToolError } from '../tool';
import { type FileRules, type FoundGuard, writable } from './file-rules';
import { mayBeSame } from './same-name';

/** Refuses to change a protected path, or anything in it, whether it is there or not. @throws ToolError */
export async function refuseProtected(rules: FileRules, place: string, shown: string): Promise<void> {
  const guard = await rules.guard();
  const exact = protectedAt(place, guard, exactly);
  if (exact !== null) throw refusal(rules, guard, shown, exact);
  const loose = protectedAt(place, guard, loosely);
  if (loose === null) return;
  if (await mayBeSame(sameDepth(place, loose), loose)) throw refusal(rules, guard, shown, loose);
}

/** Refuses to move or delete a folder with something in it that is to stay where it is. @throws ToolError */
export async function refuseHolding(rules: FileRules, place: string, shown: string): Promise<void> {
  const fixed = [...writable(rules), ...rules.read, ...rules.hidden].find((folder) => covers(place, folder));
  if (fixed !== undefined) {
    const what = fixed === rules.workspace ? 'The workspace itself is' : `${fixed}, which the agent file names, is`;
    throw new ToolError(
      rules.hidden.includes(fixed) ? `${shown} holds the data of Sayso itself.` : `${what} never moved or deleted.`,
    );
  }
  const guard = await rules.guard();
  const own = join(rules.workspace, '.git');
  for (const path of protectedIn(place, guard, loosely)) {
    if (!(await mayBeSame(place, sameDepth(path, place)))) continue;
    // A folder can go in which a protected path is only missing; but git would take an empty .git for none.
    if (path.startsWith(own + sep) || (await isThere(path))) throw refusal(rules, guard, shown, path);
  }
}

/** Refuses to move something to where it would bring a protected path into being. @throws ToolError */
export async function refuseBringing(
  rules: FileRules,
  source: { readonly absolute: string; readonly isLink: boolean },
  target: { readonly absolute: string; readonly shown: string },
): Promise<void> {
  const { absolute, shown } = target;
  const guard = await rules.guard();
  for (const path of protectedIn(absolute, guard, loosely)) {
    if (!(await mayBeSame(absolute, sameDepth(path, absolute)))) continue;
    const below = path.split(sep).slice(absolute.split(sep).length);
    if (source.isLink || (await isThere(join(source.absolute, ...below)))) throw refusal(rules, guard, shown, path);
  }
}

/** The part of a path that is as many names long as another one. */
const sameDepth = (path: string, other: string): string => path.split(sep).slice(0, other.split(sep).length).join(sep);

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

function refusal(rules: FileRules, { keys }: FoundGuard, shown: string, path: string): ToolError {
  const what = rules.show(path);
  const which =
    what === shown ? `${shown} is protected` : `${shown} cannot be changed because of ${what}, which is protected`;
  const key = keys.get(path);
  const why = key === undefined ? 'no key of the agent file opens it' : `the agent file names it under ${key}`;
  return new ToolError(
    `${which}: neither commands nor tools write, move or delete it, and ${why}. Leave it to the person, who can change it by hand.`,
  );
}
