import type { SearchHit } from '@shared/sessions';
import { SearchHit as SearchHitSchema } from '@shared/sessions';
import { z } from 'zod';
import type { SqliteDatabase } from '../database';
import { RowTime } from '../rows';
import { EVERYTHING, facet, facetsBetween } from './facets';
import type { SearchQuery, SearchTerm } from './query';

/** Private-use characters around what was found in a snippet; none of them is left in what is handed on. */
const [BEGIN, END] = ['\u{E000}', '\u{E001}'];

/** Words of a snippet: one line of a wide sidebar. */
const SNIPPET_WORDS = 18;

/** Longer ranges of days than this are left to the exact comparison. */
const MAX_DATE_FACETS = 200;

export interface SearchPage {
  /** Only hits before this seq; null for the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** Finds events, newest first, in the index and nowhere else: every filter but the state of a session stands in it. */
export class Search {
  readonly #find;

  constructor(database: SqliteDatabase) {
    this.#find = database.prepare(`
      SELECT hit.rowid AS seq, event.session_id AS sessionId, event.at, event.type, session.title,
        snippet(event_search, 0, '${BEGIN}', '${END}', '…', ${SNIPPET_WORDS}) AS snippet
      FROM event_search AS hit
      CROSS JOIN events AS event ON event.seq = hit.rowid
      CROSS JOIN sessions AS session ON session.id = event.session_id
      WHERE event_search MATCH @match AND hit.rowid < @before AND event.at >= @since AND event.at < @until
        AND session.deleted_at IS NULL
        AND (@states IS NULL OR session.state IN (SELECT value FROM json_each(@states)))
      ORDER BY hit.rowid DESC LIMIT @limit`);
  }

  find(query: SearchQuery, { before, limit }: SearchPage): { readonly hits: SearchHit[]; readonly hasMore: boolean } {
    const rows = this.#find.all({
      match: matchOf(query),
      before: before ?? Number.MAX_SAFE_INTEGER,
      since: query.since ?? 0,
      until: query.until ?? Number.MAX_SAFE_INTEGER,
      states: query.states.length === 0 ? null : JSON.stringify(query.states),
      limit: limit + 1,
    });
    return { hits: rows.slice(0, limit).flatMap(readHit), hasMore: rows.length > limit };
  }
}

/** What the index is made of (fts5: unicode61): letters, numbers, and what is for private use. */
const HAS_WORDS = /[\p{L}\p{N}\p{Co}]/u;

/** The query for the index: nothing that was typed is taken for its syntax. */
export function matchOf(query: SearchQuery): string {
  const { terms, since, until } = query;
  const found = terms.filter(({ text }) => HAS_WORDS.test(text));
  // Of signs alone nothing is in the index: beside words they count for nothing, by themselves they find nothing.
  const words = (found.length > 0 ? found : terms).map((term) => `text : ${phrase(term)}`);
  const facets = [
    query.agents.map((value) => facet('agent', value)),
    query.tools.map((value) => facet('tool', value)),
    query.labels.map((value) => facet('label', value)),
    query.outcomes.map((value) => facet('outcome', value)),
    since === null && until === null ? [] : dates(since, until),
  ].filter((choices) => choices.length > 0);
  const all = facets.map((choices) => `facets : (${choices.join(' OR ')})`);
  if (words.length === 0 && all.length === 0) return `facets : ${EVERYTHING}`;
  return [...words, ...all].join(' AND ');
}

function dates(since: number | null, until: number | null): string[] {
  const facets = facetsBetween(since ?? 0, until ?? Number.MAX_SAFE_INTEGER);
  // A range that no day lies in finds nothing; one that is too long to spell is compared row by row.
  if (facets.length === 0) return [facet('day', 'never')];
  return facets.length > MAX_DATE_FACETS ? [] : facets;
}

function phrase({ text, match }: SearchTerm): string {
  return `"${text.replaceAll('"', '""')}"${match === 'prefix' ? '*' : ''}`;
}

const HitRow = z.object({
  seq: z.number(),
  sessionId: z.string(),
  at: RowTime,
  type: z.string(),
  title: z.string(),
  snippet: z.string(),
});

/** Nothing for a hit that cannot be read: it hides none of the others. */
function readHit(row: unknown): SearchHit[] {
  const read = HitRow.safeParse(row);
  if (!read.success) return [];
  const hit = SearchHitSchema.safeParse({ ...read.data, snippet: segments(read.data.snippet) });
  return hit.success ? [hit.data] : [];
}

/** A snippet as what was found and what stands around it. */
function segments(snippet: string): { text: string; found: boolean }[] {
  const parts = snippet.split(new RegExp(`([${BEGIN}${END}])`, 'u'));
  const result: { text: string; found: boolean }[] = [];
  let found = false;
  for (const part of parts) {
    if (part === BEGIN) found = true;
    else if (part === END) found = false;
    else if (part !== '') result.push({ text: part.replace(/\s+/gu, ' '), found });
  }
  return result;
}
