import { ActiveState } from '@shared/states';
import { AgentFigures, DayFigures, DecisionFigures, type Statistics } from '@shared/statistics';
import { z } from 'zod';
import type { SqliteDatabase } from './database';

const Spent = z.object({ day: z.string(), turns: z.number(), tokens: z.number(), costUsd: z.number().nullable() });
const Times = z.object({ day: z.string(), workingMs: z.number(), waitingMs: z.number() });
const Decided = z.object({ day: z.string(), outcome: z.string(), count: z.number() });

const KEPT = 'session_id IN (SELECT id FROM sessions WHERE deleted_at IS NULL)';
const dayOf = (at: string) => `date(${at} / 1000, 'unixepoch', 'localtime')`;

/** Requests by how they ended, and calls that were refused without one. */
const SETTLED = `
  SELECT settled_at AS at, state AS outcome, json_extract(settlement, '$.by') AS by
  FROM requests WHERE settled_at >= @since AND settlement IS NOT NULL AND ${KEPT}
  UNION ALL
  SELECT at, json_extract(body, '$.outcome'), 'app' FROM events
  WHERE type = 'tool_denied' AND at >= @since AND json_extract(body, '$.outcome') IN ('readonly', 'no-operator')
    AND ${KEPT}`;

/**
 * What was spent and decided since a moment: by agent from the sessions that moved since, by day and by kind from what
 * happened since. Reads the whole journal, so it may take a second or two. Days are those of the operator's clock.
 */
export function readStatistics(database: SqliteDatabase, since: number): Statistics {
  const agents = database
    .prepare(
      `SELECT agent, count(*) AS sessions, sum(turns) AS turns, sum(tokens) AS tokens, sum(cost_usd) AS costUsd,
         sum(working_ms) AS workingMs, sum(waiting_ms) AS waitingMs, sum(approved) AS approved, sum(denied) AS denied
       FROM sessions WHERE deleted_at IS NULL AND updated_at >= ? GROUP BY agent ORDER BY tokens DESC, agent`,
    )
    .all(since);
  const decisions = database
    .prepare(`SELECT outcome, by, count(*) AS count FROM (${SETTLED}) GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`)
    .all({ since });
  return {
    agents: agents.map((row) => AgentFigures.parse(row)),
    days: readDays(database, since),
    decisions: decisions.map((row) => DecisionFigures.parse(row)),
  };
}

function readDays(database: SqliteDatabase, since: number): DayFigures[] {
  const days = new Map<string, DayFigures>();
  const change = (day: string, what: (before: DayFigures) => Partial<DayFigures>) => {
    const before = days.get(day) ?? emptyDay(day);
    days.set(day, { ...before, ...what(before) });
  };
  for (const row of spentByDay(database, since)) {
    const { day, ...spent } = Spent.parse(row);
    change(day, () => spent);
  }
  for (const row of timesByDay(database, since)) {
    const { day, ...times } = Times.parse(row);
    change(day, () => times);
  }
  for (const row of database
    .prepare(`SELECT ${dayOf('at')} AS day, outcome, count(*) AS count FROM (${SETTLED}) GROUP BY 1, 2`)
    .all({ since })) {
    const { day, outcome, count } = Decided.parse(row);
    const kind = outcome === 'approved' || outcome === 'declined' || outcome === 'expired' ? outcome : 'other';
    change(day, (before) => ({ [kind]: before[kind] + count }));
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1)).map((day) => DayFigures.parse(day));
}

function emptyDay(day: string): DayFigures {
  const nothing = { turns: 0, tokens: 0, costUsd: null, workingMs: 0, waitingMs: 0 };
  return { day, ...nothing, approved: 0, declined: 0, expired: 0, other: 0 };
}

function spentByDay(database: SqliteDatabase, since: number): unknown[] {
  const usage = (name: string) => `coalesce(json_extract(body, '$.usage.${name}'), 0)`;
  return database
    .prepare(
      `SELECT ${dayOf('at')} AS day, sum(type = 'assistant_message') AS turns,
         sum(${['input', 'output', 'cacheRead', 'cacheWrite'].map(usage).join(' + ')}) AS tokens,
         sum(json_extract(body, '$.usage.costUsd')) AS costUsd
       FROM events
       WHERE type IN ('assistant_message', 'compacted', 'notice', 'run_ended') AND at >= ? AND ${KEPT}
         AND (type = 'assistant_message' OR json_extract(body, '$.usage') IS NOT NULL)
       GROUP BY day`,
    )
    .all(since);
}

/**
 * How long runs worked and waited, by the day on which a stretch of either began: from one change of a run's state to the
 * next. What a crash or a quit cut off is nobody's time, as in the sessions' own sums.
 */
function timesByDay(database: SqliteDatabase, since: number): unknown[] {
  const working = ActiveState.options.filter((state) => state !== 'waiting').map((state) => `'${state}'`);
  return database
    .prepare(
      `WITH changes AS (
         SELECT session_id, run_id, at, type,
           CASE type WHEN 'run_started' THEN 'starting' ELSE json_extract(body, '$.state') END AS state,
           lead(at) OVER run AS until,
           lead(CASE type WHEN 'run_ended' THEN json_extract(body, '$.state') END) OVER run AS cut
         FROM events WHERE type IN ('run_started', 'run_state', 'run_ended') AND at >= ? AND ${KEPT}
         WINDOW run AS (PARTITION BY session_id, run_id ORDER BY seq))
       SELECT ${dayOf('at')} AS day,
         sum(CASE WHEN state IN (${working.join(', ')}) THEN max(0, until - at) ELSE 0 END) AS workingMs,
         sum(CASE WHEN state = 'waiting' THEN max(0, until - at) ELSE 0 END) AS waitingMs
       FROM changes WHERE type != 'run_ended' AND until IS NOT NULL AND cut IS NOT 'interrupted' GROUP BY day`,
    )
    .all(since);
}
