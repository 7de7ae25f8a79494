import { createHash } from 'node:crypto';

/** What the audit's chain begins with. */
export const GENESIS = '0'.repeat(64);

/** The hash of a row of the audit, over the row before and over what this one holds. */
export function linkHash(previous: string, requestId: string, bodyHash: string): string {
  return createHash('sha256').update(`${previous}\n${requestId}\n${bodyHash}`).digest('hex');
}
