import { z } from 'zod';
import { SettledBy } from './requests';
import { Outcome } from './states';

const Count = z.number().int().nonnegative();
/** US dollars; null where no price is known for any of it. */
const Cost = z.number().nonnegative().nullable();

/** Time spent working, and waiting for the operator, in milliseconds. */
const Times = { workingMs: Count, waitingMs: Count };

export const AgentFigures = z.strictObject({
  agent: z.string(),
  sessions: Count,
  turns: Count,
  tokens: Count,
  costUsd: Cost,
  ...Times,
  approved: Count,
  denied: Count,
});
export type AgentFigures = z.infer<typeof AgentFigures>;

/** A day of the operator's clock: 2026-03-31. */
const Day = z.string().regex(/^\d{4}-\d\d-\d\d$/);

/** A day on which something happened; days without anything are left out. */
export const DayFigures = z.strictObject({
  day: Day,
  turns: Count,
  tokens: Count,
  costUsd: Cost,
  ...Times,
  /** Requests by how they ended; `other` is whatever nobody decided. */
  approved: Count,
  declined: Count,
  expired: Count,
  other: Count,
});
export type DayFigures = z.infer<typeof DayFigures>;

/** What an agent spent on one day; days on which it spent nothing are left out. */
export const AgentDayFigures = z.strictObject({ day: Day, agent: z.string(), tokens: Count, costUsd: Cost });
export type AgentDayFigures = z.infer<typeof AgentDayFigures>;

/** How often requests ended in one way; `by` tells a decision of the operator from all others. */
export const DecisionFigures = z.strictObject({ outcome: Outcome, by: SettledBy, count: Count });
export type DecisionFigures = z.infer<typeof DecisionFigures>;

export const Statistics = z.strictObject({
  agents: z.array(AgentFigures),
  days: z.array(DayFigures),
  agentDays: z.array(AgentDayFigures),
  decisions: z.array(DecisionFigures),
});
export type Statistics = z.infer<typeof Statistics>;
