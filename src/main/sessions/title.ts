import type { SessionSummary } from '@shared/sessions';
import { derivedTitle } from './derived-title';

/** In characters (code points). */
const TITLE_LENGTH = 80;

/** A session's title: the first line of its prompt that says something, of one kind of space, cut to fit a list. */
export function titleOf(prompt: string, length: number = TITLE_LENGTH): string {
  const line = prompt
    .split('\n')
    .map((candidate) => candidate.replace(/[\s\p{C}]+/gu, ' ').trim())
    .find((candidate) => candidate !== '');
  if (line === undefined) return 'Untitled';
  const characters = [...line];
  return characters.length > length
    ? `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : line;
}

/** It was cleared, and neither its operator nor its first prompt has given it a title of its own yet. */
export function isUntitled({ origin, turns, title }: SessionSummary): boolean {
  return origin?.kind === 'clear' && turns === 0 && title === derivedTitle(origin.title, 'cleared');
}
