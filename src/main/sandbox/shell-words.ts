/** A word that a POSIX shell takes exactly as it is. For what is the app's own: paths, the probe's values. */
export const quoted = (word: string): string => `'${word.replace(/'/g, `'\\''`)}'`;
