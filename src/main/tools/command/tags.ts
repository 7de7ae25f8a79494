/** Removes a command before anything else is asked; nothing adds it back. */
export const DENY_TAG = 'ai:deny';
/** Keeps a tool out of the provider's tool search. */
export const NO_DEFER_TAG = 'ai:no_defer';

const READ_ONLY = 'ai:read_only';
const DESTRUCTIVE = 'ai:destructive';
const ADDITIVE = 'ai:additive';
const KNOWN = [DENY_TAG, 'ai:confirm', NO_DEFER_TAG, READ_ONLY, DESTRUCTIVE, ADDITIVE, 'ai:idempotent'];

/**
 * Whether a wrapped command can change something: unless its tags say that it only reads (semantics: tags and modes).
 * Where they also say that it changes something, the worse is taken.
 */
export function isDangerous(tags: readonly string[]): boolean {
  return !tags.includes(READ_ONLY) || tags.includes(DESTRUCTIVE) || tags.includes(ADDITIVE);
}

/** What is odd about the tags of one tool, for the operator. */
export function tagWarnings(tool: string, tags: readonly string[]): string[] {
  const unknown = tags.filter((tag) => tag.startsWith('ai:') && !KNOWN.includes(tag));
  const said = [READ_ONLY, DESTRUCTIVE, ADDITIVE].filter((tag) => tags.includes(tag));
  return [
    ...unknown.map((tag) => `${tool}: the tag "${tag}" is unknown and does nothing. Known are ${KNOWN.join(', ')}`),
    ...(said.length > 1
      ? [
          `${tool}: the tags ${said.join(' and ')} contradict each other, so it is treated as one that changes something`,
        ]
      : []),
  ];
}
