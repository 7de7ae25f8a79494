import { SessionId } from '@shared/ids';
import { z } from 'zod';

const PLACE = 'sayso.columns';
const Columns = z.array(SessionId).max(3);

/** Which sessions were open, for when the window is reloaded. Losing it costs a click, so failures need no word. */
export function saveColumns(columns: readonly SessionId[]): void {
  try {
    window.localStorage.setItem(PLACE, JSON.stringify(columns));
  } catch {
    // Storage can be switched off or full.
  }
}

export function restoreColumns(): readonly SessionId[] {
  try {
    const columns = Columns.safeParse(JSON.parse(window.localStorage.getItem(PLACE) ?? '[]'));
    return columns.success ? columns.data : [];
  } catch {
    return [];
  }
}
