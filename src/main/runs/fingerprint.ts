import { Provider } from '@shared/states';
import { z } from 'zod';
import type { AgentFingerprint } from '../agents/fingerprint';

/** What a session was begun with, as its row keeps it. */
export const Fingerprint = z.strictObject({
  provider: Provider,
  model: z.string(),
  prompt: z.string(),
  tools: z.string(),
  limits: z.string(),
}) satisfies z.ZodType<AgentFingerprint>;

export type AgentChange =
  | { readonly kind: 'none' }
  /** The conversation cannot go on with another provider. */
  | { readonly kind: 'provider' }
  /** It goes on only if the operator says so, and then without what was remembered. */
  | { readonly kind: 'agent'; readonly what: readonly string[] }
  /** It goes on, with a warning, and without what was remembered. */
  | { readonly kind: 'tools' }
  /** It goes on, with a warning. */
  | { readonly kind: 'limits' };

/** What changed of an agent since a session was begun (semantics: resume). */
export function compareFingerprints(before: AgentFingerprint, now: AgentFingerprint): AgentChange {
  if (before.provider !== now.provider) return { kind: 'provider' };
  const what = [
    ...(before.model === now.model ? [] : [`the model (${before.model}, now ${now.model})`]),
    ...(before.prompt === now.prompt ? [] : ['the prompt, its script or the thinking setting']),
  ];
  if (what.length > 0) return { kind: 'agent', what };
  if (before.tools !== now.tools) return { kind: 'tools' };
  return before.limits === now.limits ? { kind: 'none' } : { kind: 'limits' };
}
