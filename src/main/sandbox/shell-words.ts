import type { Launch } from './launch';

/** A word that a POSIX shell takes exactly as it is. For what is the app's own: paths, the probe's values. */
export const quoted = (word: string): string => `'${word.replace(/'/g, `'\\''`)}'`;

/** Letters, digits and signs that mean nothing to any shell, quoted or not. */
const PLAIN = /^[A-Za-z0-9_@%+:,./=-]+$/;

/** Whether a shell that reads this word can only take it as this word, so that no rule of quoting has to be right. */
export const isPlain = (word: string): boolean => PLAIN.test(word);

/**
 * What a waiting shell has to do to become a launch, without a stdin. Where anything on the way fails, it does nothing
 * more. A command is an argument vector (semantics: the child process), so a word that a shell could read in any other
 * way never gets here: such a launch is started as itself, and gets its words from the kernel.
 * @throws Error for a word that is not plain
 */
export function becoming({ environment, prepare, file, args }: Launch): string {
  const words = [file, ...args];
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const odd = [...words, ...variables].find((word) => !isPlain(word));
  if (odd !== undefined) throw new Error(`A shell must not be told ${JSON.stringify(odd)}.`);
  const steps = [
    ...(variables.length === 0 ? [] : [`export ${variables.join(' ')}`]),
    ...prepare,
    `exec ${words.join(' ')} </dev/null`,
  ];
  return `${steps.join(' && ')}\n`;
}
