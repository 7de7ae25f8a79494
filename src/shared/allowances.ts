import { z } from 'zod';

/** Something that one run of a command may do beyond what the agent file allows its commands. */
export const Allowance = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.enum(['read', 'write']),
    /** Absolute, and real: no link is on the way. */
    path: z.string(),
    /** The folder and all in it, or one file. */
    is: z.enum(['folder', 'file']),
    /** What the command wanted to make, where the path is only the nearest folder that there is. */
    nearestTo: z.string().nullable(),
  }),
  z.strictObject({
    kind: z.literal('network'),
    /** null: all of the network. */
    host: z.string().nullable(),
    port: z.number().int().min(1).max(65_535).nullable(),
  }),
]);
export type Allowance = z.infer<typeof Allowance>;

/** What it allows, in words that go on after "it may": "write in /srv/data". */
export function allowanceWords(allowance: Allowance): string {
  if (allowance.kind === 'network') {
    const { host, port } = allowance;
    if (host === null) return 'use the network: all of it, the servers of this machine included';
    return `connect to ${host}${port === null ? '' : `:${port}`}`;
  }
  const { kind, path, is, nearestTo } = allowance;
  if (is === 'file') return `${kind} the file ${path}`;
  if (kind === 'read') return `read ${path} and all in it`;
  return `write in ${path} and all in it${nearestTo === null ? '' : `, the nearest folder there is to ${nearestTo}`}`;
}

/** Several of them in one sentence. */
export function allAllowanceWords(allowances: readonly Allowance[]): string {
  return allowances.map(allowanceWords).join(', and ');
}
