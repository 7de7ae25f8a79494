import type { SearchHit } from '@shared/sessions';
import { create } from 'zustand';
import { ask } from '../ui/bridge';

const PAGE = 50;

interface HitsState {
  readonly query: string;
  readonly hits: readonly SearchHit[];
  readonly hasMore: boolean;
  readonly loading: boolean;
  /** What of the query cannot be understood, in words. */
  readonly problem: string;
}

const NONE: HitsState = { query: '', hits: [], hasMore: false, loading: false, problem: '' };

export const useHits = create<HitsState>(() => NONE);

let request = 0;

/** Looks for events; an answer that a newer search has overtaken is dropped. */
export async function findHits(query: string): Promise<void> {
  const mine = ++request;
  if (query.trim() === '') {
    useHits.setState(NONE);
    return;
  }
  useHits.setState({ loading: true });
  await take(mine, query, null);
}

export async function moreHits(): Promise<void> {
  const { query, hits, hasMore, loading } = useHits.getState();
  const last = hits.at(-1);
  if (!hasMore || loading || last === undefined) return;
  useHits.setState({ loading: true });
  await take(++request, query, last.seq);
}

async function take(mine: number, query: string, before: number | null): Promise<void> {
  const result = await ask('searchEvents', { query: query.slice(0, 500), limit: PAGE, before });
  if (mine !== request) return;
  if (!result.ok) {
    useHits.setState({ query, hits: [], hasMore: false, loading: false, problem: result.error.message });
  } else if (result.value.kind === 'problem') {
    useHits.setState({ query, hits: [], hasMore: false, loading: false, problem: result.value.problem });
  } else {
    const { hits, hasMore } = result.value;
    useHits.setState((state) => ({
      query,
      hits: before === null ? hits : [...state.hits, ...hits],
      hasMore,
      loading: false,
      problem: '',
    }));
  }
}
