import type { Launch } from './launch';

/** A word that a POSIX shell takes exactly as it is. */
export const quoted = (word: string): string => `'${word.replace(/'/g, `'\\''`)}'`;

/** What a shell has to do to become a launch, without a stdin. Where anything on the way fails, it does nothing more. */
export function becoming({ environment, prepare, file, args }: Launch): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)}`);
  const steps = [
    ...(variables.length === 0 ? [] : [`export ${variables.join(' ')}`]),
    ...prepare,
    `exec ${[file, ...args].map(quoted).join(' ')} </dev/null`,
  ];
  return `${steps.join(' && ')}\n`;
}
