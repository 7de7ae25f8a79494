import { findHits } from './hits';
import { latest } from './latest';
import { search, useSessions } from './store';

const list = latest(search);
const find = latest(findHits);

/** Looks for what is typed at every letter; the list and the hits each come as soon as they are there. */
export function lookFor(typed: string): void {
  useSessions.setState({ typed });
  list(typed);
  find(typed);
}
