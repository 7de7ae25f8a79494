import { MAX_TITLE } from '@shared/sessions';

const NUMBERED = / \((fork|cleared)(?: (\d+))?\)$/;

/** The title of a session that comes from another one, told from it and from others of its kind: "x (fork)", "x (fork 2)". */
export function derivedTitle(title: string, kind: 'fork' | 'cleared'): string {
  const found = NUMBERED.exec(title);
  const same = found?.[1] === kind;
  const base = same ? title.slice(0, found.index) : title;
  const mark = same ? ` (${kind} ${Number(found[2] ?? 1) + 1})` : ` (${kind})`;
  const characters = [...base];
  const room = MAX_TITLE - mark.length;
  // What is cut says so: the half of a secret is looked for there.
  return `${characters.length > room ? `${characters.slice(0, room - 1).join('')}…` : base}${mark}`;
}
