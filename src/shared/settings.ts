import { z } from 'zod';

export const Theme = z.enum(['system', 'dark', 'light']);
export type Theme = z.infer<typeof Theme>;

/** A rule's age in days. */
export const Days = z.number().int().min(1).max(3_650);

/** What the operator can change; kept as JSON in the data folder. */
export const Settings = z.strictObject({
  theme: Theme.default('system'),
  /** The model of agents that name none. */
  model: z.string().min(1).max(200).default('claude-sonnet-5-5'),
  /** Delete ended sessions that are not pinned and have not moved for so many days; null: never. */
  retentionDays: Days.nullable().default(null),
});
export type Settings = z.infer<typeof Settings>;

/** The window always says all of them: nothing is set by what was left out. */
export const WholeSettings = z.strictObject({
  theme: Settings.shape.theme.unwrap(),
  model: Settings.shape.model.unwrap(),
  retentionDays: Settings.shape.retentionDays.unwrap(),
}) satisfies z.ZodType<Settings>;

/** Where the key comes from. `memory`: kept until the app quits, because this system offers no real encryption. */
export const KeyState = z.strictObject({
  source: z.enum(['environment', 'stored', 'memory', 'none']),
  /** Whether a key given now would be stored encrypted. */
  canStore: z.boolean(),
  /** Why not, in words, where it would not. */
  note: z.string(),
});
export type KeyState = z.infer<typeof KeyState>;
