import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { EventOf } from '../../src/shared/events';
import type { SessionId } from '../../src/shared/ids';

/**
 * What was said at places spread over a session: seven words in a row each, in quotes, that a search finds there alone.
 * @param home the data folder
 */
export function phrasesOf(home: string, sessionId: SessionId, count: number): string[] {
  const database = new Database(join(home, 'sayso.sqlite'), { readonly: true });
  try {
    const ends = 'SELECT min(seq), max(seq) FROM events WHERE session_id = ?';
    const [first, last] = database.prepare(ends).raw().get(sessionId) as [number, number];
    const said = database
      .prepare("SELECT body FROM events WHERE seq >= ? AND type = 'assistant_message' ORDER BY seq LIMIT 1")
      .pluck();
    return Array.from({ length: count }, (_, index) => {
      const seq = Math.floor(first + ((index + 0.5) / count) * (last - first));
      const body = JSON.parse(String(said.get(seq))) as EventOf<'assistant_message'>;
      const text = body.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      return `"${/(?:[a-z]+ ){7}/.exec(text)?.[0].trim()}"`;
    });
  } finally {
    database.close();
  }
}
