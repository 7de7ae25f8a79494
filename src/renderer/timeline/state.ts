import type { BridgeInput } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import { create } from 'zustand';
import { ask } from '../ui/bridge';
import { type Folded, fold, NOTHING_FOLDED } from './fold';
import { eventsOf, PAGE, type Pages } from './pages';
import { reuse } from './reuse';

/** Where in what is loaded a visit goes: an end of it, or an entry by its key. */
export type Place = 'start' | 'end' | { readonly entry: string };

export interface TimelineState {
  readonly folded: Folded;
  /** The events behind it, kept because a page beside them changes what calls at its edge look like. */
  readonly pages: Pages;
  readonly status: 'loading' | 'ready' | 'failed';
  readonly problem: string;
  readonly hasOlder: boolean;
  /** What is loaded ends before the journal does. */
  readonly hasNewer: boolean;
  readonly loading: 'older' | 'newer' | null;
  /** Where the reader goes to. `visit` is another number each time; `window` where nothing of what was loaded is kept. */
  readonly visit: number;
  readonly window: number;
  readonly place: Place;
}

export const LOADING: TimelineState = {
  folded: NOTHING_FOLDED,
  pages: [],
  status: 'loading',
  problem: '',
  hasOlder: false,
  hasNewer: false,
  loading: null,
  visit: 0,
  window: 0,
  place: 'end',
};

export const useTimelines = create<Readonly<Record<string, TimelineState>>>(() => ({}));

export function update(id: SessionId, change: (state: TimelineState) => Partial<TimelineState>): void {
  useTimelines.setState((all) => {
    const state = all[id];
    return state === undefined ? all : { [id]: { ...state, ...change(state) } };
  });
}

/** Other pages of the same journal, and what they look like. */
export function refolded(state: TimelineState, change: Pick<TimelineState, 'pages' | 'hasOlder' | 'hasNewer'>) {
  // Where it does not begin at the beginning, its first run is not the first one.
  const folded = fold({ ...NOTHING_FOLDED, runs: change.hasOlder ? 1 : 0 }, eventsOf(change.pages));
  return { ...change, folded: { ...folded, entries: reuse(state.folded.entries, folded.entries) } };
}

/** Reads a page, or as much of it as is wanted. */
export const read = (sessionId: SessionId, from: BridgeInput<'readEvents'>['from'], limit = PAGE) =>
  ask('readEvents', { sessionId, from, limit });
