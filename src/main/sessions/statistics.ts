import { MAX_COST_USD, MAX_TOKENS } from '@shared/events';
import { MAX_TIMESTAMP } from '@shared/ids';
import { ActiveState } from '@shared/states';
import { AgentDayFigures, AgentFigures, DayFigures, DecisionFigures, type Statistics } from '@shared/statistics';
import { z } from 'zod';
import type { SqliteDatabase } from './database';
import { COPIED_RUNS } from './forks';
import { sumOf } from './sums';

const Of = { day: z.string(), agent: z.string() };
const Counted = z.object({
  ...Of,
  turns: z.number(),
  tokens: z.number(),
  costUsd: z.number().nullable(),
  approved: z.number(),
  denied: z.number(),
});
const Timed = z.object({ ...Of, workingMs: z.number(), waitingMs: z.number() });
const Decided = z.object({ day: z.string(), outcome: z.string(), by: z.string(), count: z.number() });
const Sessions = z.object({ agent: z.string(), sessions: z.number() });

type Counted = z.infer<typeof Counted>;
type Timed = z.infer<typeof Timed>;
type Decided = z.infer<typeof Decided>;
type Sums = Pick<AgentFigures & DayFigures, 'turns' | 'tokens' | 'costUsd' | 'workingMs' | 'waitingMs'>;

const NOTHING: Sums = { turns: 0, tokens: 0, costUsd: null, workingMs: 0, waitingMs: 0 };

/** Events that happened in their own session: what a fork took over happened in the other one, and counts there. */
const OWN = `session_id IN (SELECT id FROM sessions WHERE deleted_at IS NULL)
  AND events.run_id NOT IN (${COPIED_RUNS})`;
// What an older Sayso let on record counts up to the bound that there is for it now, and what is no JSON not at all.
const within = (at: string) => `min(${at}, ${MAX_TIMESTAMP})`;
const dayOf = (at: string) => `date(${within(at)} / 1000, 'unixepoch', 'localtime')`;
/** A condition that no row meets whose text is no JSON; it is looked at before anything is taken out of that. */
const readable = (condition = 'true', of = 'body') => `CASE WHEN json_valid(${of}) THEN ${condition} END`;
const part = (path: string, of = 'body') => `json_extract(${of}, '${path}')`;
/** Which agent each run was of: a session may go on with another one. */
const STARTS = `starts AS MATERIALIZED (
  SELECT run_id, substr(max(${part('$.agent')}), 1, 64) AS agent FROM events
  WHERE type = 'run_started' AND ${readable()} GROUP BY run_id)`;
const AGENT = 'coalesce(starts.agent, (SELECT agent FROM sessions WHERE id = session_id))';

/**
 * What was spent and decided since a moment, of what happened since, and of nothing else: by agent, by day and by kind.
 * Reads the whole journal, so it may take a second or two. Days are those of the operator's clock. What cannot be read is
 * left out, and nothing else.
 */
export function readStatistics(database: SqliteDatabase, since: number): Statistics {
  const read = <T>(row: z.ZodType<T>, sql: string): T[] =>
    database
      .prepare(sql)
      .all({ since })
      .flatMap((found) => row.safeParse(found).data ?? []);
  // One moment for all of them: they are to agree with one another.
  return database.transaction(() => {
    const [counted, timed, decided] = [read(Counted, COUNTED), read(Timed, TIMED), read(Decided, DECIDED)];
    return {
      agents: byAgent(read(Sessions, SESSIONS), counted, timed),
      days: byDay(counted, timed, decided),
      agentDays: byAgentAndDay(counted),
      decisions: byKind(decided),
    };
  })();
}

const SESSIONS = `
  SELECT agent, count(*) AS sessions FROM sessions WHERE deleted_at IS NULL AND updated_at >= @since GROUP BY agent`;

const usage = (name: string) => `coalesce(min(${part(`$.usage.${name}`)}, ${MAX_TOKENS}), 0)`;

const COUNTED = `
  WITH ${STARTS}
  SELECT ${dayOf('at')} AS day, ${AGENT} AS agent, sum(type = 'assistant_message') AS turns,
    total(${['input', 'output', 'cacheRead', 'cacheWrite'].map(usage).join(' + ')}) AS tokens,
    sum(min(${part('$.usage.costUsd')}, ${MAX_COST_USD})) AS costUsd,
    sum(type = 'request_settled' AND ${part('$.settlement.outcome')} = 'approved') AS approved,
    sum(type = 'tool_denied') AS denied
  FROM events LEFT JOIN starts USING (run_id)
  WHERE type IN ('assistant_message', 'compacted', 'notice', 'run_ended', 'request_settled', 'tool_denied')
    AND at >= @since AND ${OWN}
    AND ${readable(`type IN ('assistant_message', 'request_settled', 'tool_denied') OR ${part('$.usage')} IS NOT NULL`)}
  GROUP BY 1, 2`;

const WORKING = ActiveState.options.filter((state) => state !== 'waiting').map((state) => `'${state}'`);

/**
 * How long runs worked and waited, by the day on which a stretch of either began: from one change of a run's state to the
 * next. What a crash or a quit cut off is nobody's time, as in the sessions' own sums.
 */
const TIMED = `
  WITH ${STARTS}, changes AS (
    SELECT session_id, run_id, ${within('at')} AS at, type,
      CASE type WHEN 'run_started' THEN 'starting' ELSE ${part('$.state')} END AS state,
      lead(${within('at')}) OVER run AS until,
      lead(CASE type WHEN 'run_ended' THEN ${part('$.state')} END) OVER run AS cut
    FROM events
    WHERE type IN ('run_started', 'run_state', 'run_ended') AND at >= @since AND ${OWN} AND ${readable()}
    WINDOW run AS (PARTITION BY session_id, run_id ORDER BY seq))
  SELECT ${dayOf('at')} AS day, ${AGENT} AS agent,
    total(CASE WHEN state IN (${WORKING.join(', ')}) THEN max(0, until - at) ELSE 0 END) AS workingMs,
    total(CASE WHEN state = 'waiting' THEN max(0, until - at) ELSE 0 END) AS waitingMs
  FROM changes LEFT JOIN starts USING (run_id) WHERE type != 'run_ended' AND until IS NOT NULL AND cut IS NOT 'interrupted' GROUP BY 1, 2`;

/** Requests by how they ended, and calls that were refused without one. */
const DECIDED = `
  SELECT ${dayOf('at')} AS day, outcome, by, count(*) AS count FROM (
    SELECT settled_at AS at, state AS outcome, ${part('$.by', 'settlement')} AS by
    FROM requests WHERE settled_at >= @since AND ${readable('true', 'settlement')}
      AND session_id IN (SELECT id FROM sessions WHERE deleted_at IS NULL)
    UNION ALL
    SELECT at, ${part('$.outcome')}, 'app' FROM events
    WHERE type = 'tool_denied' AND at >= @since AND ${readable(`${part('$.outcome')} IN ('readonly', 'no-operator')`)}
      AND ${OWN})
  GROUP BY 1, 2, 3`;

function byAgent(
  sessions: readonly z.infer<typeof Sessions>[],
  counted: readonly Counted[],
  timed: readonly Timed[],
): AgentFigures[] {
  const agents = new Map<string, AgentFigures>();
  const of = (agent: string) => agents.get(agent) ?? { agent, sessions: 0, ...NOTHING, approved: 0, denied: 0 };
  for (const { agent, sessions: count } of sessions) agents.set(agent, { ...of(agent), sessions: count });
  for (const row of counted) {
    const before = of(row.agent);
    const { approved, denied } = before;
    const decided = { approved: approved + row.approved, denied: denied + row.denied };
    agents.set(row.agent, { ...before, ...plus(before, row), ...decided });
  }
  for (const row of timed) agents.set(row.agent, { ...of(row.agent), ...plus(of(row.agent), row) });
  return [...agents.values()]
    .sort((a, b) => b.tokens - a.tokens || (a.agent < b.agent ? -1 : 1))
    .map((agent) => AgentFigures.parse(agent));
}

function byDay(counted: readonly Counted[], timed: readonly Timed[], decided: readonly Decided[]): DayFigures[] {
  const days = new Map<string, DayFigures>();
  const of = (day: string) => days.get(day) ?? { day, ...NOTHING, approved: 0, declined: 0, expired: 0, other: 0 };
  for (const row of [...counted, ...timed]) days.set(row.day, { ...of(row.day), ...plus(of(row.day), row) });
  for (const { day, outcome, count } of decided) {
    const before = of(day);
    const kind = outcome === 'approved' || outcome === 'declined' || outcome === 'expired' ? outcome : 'other';
    days.set(day, { ...before, [kind]: before[kind] + count });
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1)).map((day) => DayFigures.parse(day));
}

function byAgentAndDay(counted: readonly Counted[]): AgentDayFigures[] {
  return counted
    .filter(({ tokens }) => tokens > 0)
    .map(({ day, agent, tokens, costUsd }) => AgentDayFigures.parse({ day, agent, tokens: sumOf(tokens), costUsd }));
}

function byKind(decided: readonly Decided[]): DecisionFigures[] {
  const kinds = new Map<string, Omit<Decided, 'day'>>();
  for (const { outcome, by, count } of decided) {
    const key = `${outcome} ${by}`;
    kinds.set(key, { outcome, by, count: count + (kinds.get(key)?.count ?? 0) });
  }
  return [...kinds.entries()]
    .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
    .flatMap(([, kind]) => DecisionFigures.safeParse(kind).data ?? []);
}

/** Null only where no price is known for any of it. */
function plus(before: Sums, row: Partial<Sums>): Sums {
  const { turns = 0, tokens = 0, costUsd = null, workingMs = 0, waitingMs = 0 } = row;
  return {
    turns: sumOf(before.turns, turns),
    tokens: sumOf(before.tokens, tokens),
    costUsd: costUsd === null ? before.costUsd : (before.costUsd ?? 0) + costUsd,
    workingMs: sumOf(before.workingMs, workingMs),
    waitingMs: sumOf(before.waitingMs, waitingMs),
  };
}
