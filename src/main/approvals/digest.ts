import { createHash } from 'node:crypto';
import type { CallPreview } from '@shared/requests';
import type { SandboxTier } from '@shared/states';
import type { SandboxPolicy } from '../sandbox/policy';

/** What a decision is about. Two calls with the same digest do the same thing in the same place. */
export interface DigestInput {
  readonly tool: string;
  readonly preview: CallPreview;
  readonly cwd: string;
  readonly bound: Readonly<Record<string, string>>;
  readonly sandbox: SandboxTier;
  /** What the agent file allows in it beyond the workspace; nothing where it was not said. */
  readonly policy?: SandboxPolicy | undefined;
}

/** SHA-256, in hex, of everything that would run (semantics: requests). */
export function digest(input: DigestInput): string {
  return createHash('sha256').update(canonicalJson(input)).digest('hex');
}

/** SHA-256, in hex, of a question: its words and its form. */
export function questionDigest(question: { readonly question: string; readonly form: unknown }): string {
  return createHash('sha256').update(canonicalJson(question)).digest('hex');
}

/** JSON with sorted keys, so that the order in which an object was built cannot change a digest. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
