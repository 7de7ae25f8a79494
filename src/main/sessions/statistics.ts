import { AgentFigures, DayFigures, DecisionFigures, type Statistics } from '@shared/statistics';
import type { SqliteDatabase } from './database';

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
  const usage = (name: string) => `coalesce(json_extract(event.body, '$.usage.${name}'), 0)`;
  const days = database
    .prepare(
      `SELECT date(event.at / 1000, 'unixepoch', 'localtime') AS day, sum(event.type = 'assistant_message') AS turns,
         sum(${['input', 'output', 'cacheRead', 'cacheWrite'].map(usage).join(' + ')}) AS tokens,
         sum(json_extract(event.body, '$.usage.costUsd')) AS costUsd
       FROM events AS event JOIN sessions AS session ON session.id = event.session_id
       WHERE event.type IN ('assistant_message', 'compacted', 'notice', 'run_ended') AND event.at >= ? AND session.deleted_at IS NULL
       GROUP BY day ORDER BY day`,
    )
    .all(since);
  const decisions = database
    .prepare(
      `SELECT state AS outcome, json_extract(settlement, '$.by') AS by, count(*) AS count
       FROM requests WHERE settled_at >= @since AND settlement IS NOT NULL
         AND session_id IN (SELECT id FROM sessions WHERE deleted_at IS NULL) GROUP BY 1, 2
       UNION ALL
       SELECT json_extract(body, '$.outcome'), 'app', count(*) FROM events
       WHERE type = 'tool_denied' AND at >= @since AND json_extract(body, '$.outcome') IN ('readonly', 'no-operator')
         AND session_id IN (SELECT id FROM sessions WHERE deleted_at IS NULL)
       GROUP BY 1 ORDER BY 3 DESC, 1, 2`,
    )
    .all({ since });
  return {
    agents: agents.map((row) => AgentFigures.parse(row)),
    days: days.map((row) => DayFigures.parse(row)),
    decisions: decisions.map((row) => DecisionFigures.parse(row)),
  };
}
