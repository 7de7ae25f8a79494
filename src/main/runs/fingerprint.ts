import { createHash } from 'node:crypto';
import { Provider } from '@shared/states';
import { z } from 'zod';
import { canonicalJson } from '../approvals/digest';
import type { Tool } from '../tools/tool';

/** What a session was begun with, as far as its conversation depends on it (semantics: resume). */
export const Fingerprint = z.strictObject({
  provider: Provider,
  model: z.string(),
  thinking: z.boolean(),
  prompt: z.string(),
  tools: z.string(),
});
export type Fingerprint = z.infer<typeof Fingerprint>;

interface Fingerprinted {
  readonly provider: Fingerprint['provider'];
  readonly model: string;
  readonly thinking: boolean;
  readonly prompt: string;
  readonly tools: readonly Tool[];
}

export function fingerprintOf({ provider, model, thinking, prompt, tools }: Fingerprinted): Fingerprint {
  const described = tools.map(({ name, description, inputSchema, tags, source }) => ({
    name,
    description,
    inputSchema,
    tags,
    source,
  }));
  return { provider, model, thinking, prompt: hash(prompt), tools: hash(canonicalJson(described)) };
}

export type AgentChange =
  | { readonly kind: 'none' }
  /** The conversation cannot go on with another provider. */
  | { readonly kind: 'provider' }
  /** It goes on only if the operator says so, and then without what was remembered. */
  | { readonly kind: 'agent'; readonly what: readonly string[] }
  /** It goes on, with a warning, and without what was remembered. */
  | { readonly kind: 'tools' };

/** What changed of an agent since a session was begun. */
export function compareFingerprints(before: Fingerprint, now: Fingerprint): AgentChange {
  if (before.provider !== now.provider) return { kind: 'provider' };
  const what = [
    ...(before.model === now.model ? [] : [`the model (${before.model}, now ${now.model})`]),
    ...(before.prompt === now.prompt ? [] : ['the prompt']),
    ...(before.thinking === now.thinking ? [] : ['the thinking setting']),
  ];
  if (what.length > 0) return { kind: 'agent', what };
  return before.tools === now.tools ? { kind: 'none' } : { kind: 'tools' };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
