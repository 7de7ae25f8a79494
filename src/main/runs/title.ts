const TITLE_LENGTH = 80;

/** A session's title: the first line of its prompt that says something, of one kind of space, cut to fit a list. */
export function titleOf(prompt: string): string {
  const line = prompt
    .split('\n')
    .map((candidate) => candidate.replace(/[\s\p{C}]+/gu, ' ').trim())
    .find((candidate) => candidate !== '');
  if (line === undefined) return 'Untitled';
  const characters = [...line];
  return characters.length > TITLE_LENGTH
    ? `${characters
        .slice(0, TITLE_LENGTH - 1)
        .join('')
        .trimEnd()}…`
    : line;
}
