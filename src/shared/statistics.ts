import { z } from 'zod';
import { SettledBy } from './requests';
import { Outcome } from './states';

const Count = z.number().int().nonnegative();
/** US dollars; null where no price is known for any of it. */
const Cost = z.number().nonnegative().nullable();

export const AgentFigures = z.strictObject({
  agent: z.string(),
  sessions: Count,
  turns: Count,
  tokens: Count,
  costUsd: Cost,
  /** Time spent working, and waiting for the operator, in milliseconds. */
  workingMs: Count,
  waitingMs: Count,
  approved: Count,
  denied: Count,
});
export type AgentFigures = z.infer<typeof AgentFigures>;

export const DayFigures = z.strictObject({
  /** A day of the operator's clock: 2026-03-31. */
  day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  turns: Count,
  tokens: Count,
  costUsd: Cost,
});
export type DayFigures = z.infer<typeof DayFigures>;

/** How often requests ended in one way; `by` tells a decision of the operator from all others. */
export const DecisionFigures = z.strictObject({ outcome: Outcome, by: SettledBy, count: Count });
export type DecisionFigures = z.infer<typeof DecisionFigures>;

export const Statistics = z.strictObject({
  agents: z.array(AgentFigures),
  days: z.array(DayFigures),
  decisions: z.array(DecisionFigures),
});
export type Statistics = z.infer<typeof Statistics>;
