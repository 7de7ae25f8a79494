import { hostProblem, type Place } from '../../network/host-rules';
import type { HostList } from '../policy';
import type { Refusal } from '../refusal';

/** So many are named in one note; of others it says that there were more. */
const MAX_NAMED = 8;
/** A command can ask for as many names as it likes; more than these are not kept. */
const MAX_KEPT = 100;

type Kind = 'reached' | 'unlisted' | 'forbidden' | 'failed';

/** What became of the connections of one command, for model and operator. */
export class Outcomes {
  private readonly kept: Readonly<Record<Kind, Map<string, { readonly place: Place; readonly words: string }>>> = {
    reached: new Map(),
    unlisted: new Map(),
    forbidden: new Map(),
    failed: new Map(),
  };
  private unreadable = 0;
  private turnedAway = 0;

  /** @param onRefused is told of each place that a list with it would have let through, the first time */
  constructor(
    private readonly list: HostList,
    private readonly onRefused: (refusal: Refusal) => void = () => undefined,
  ) {}

  /** @param words why, where it is known: a sentence about a forbidden place, what a failed one did */
  add(kind: Kind, place: Place, words = ''): void {
    const known = this.kept[kind];
    if (known.size >= MAX_KEPT || known.has(nameOf(place))) return;
    known.set(nameOf(place), { place, words });
    if (kind === 'unlisted' && this.isOffered(place)) this.onRefused(refusalOf(place));
  }

  /** A request that was not let through because it could not be read. */
  addUnreadable(): void {
    this.unreadable += 1;
  }

  /** A connection that was one too many at a time. */
  addTurnedAway(): void {
    this.turnedAway += 1;
  }

  notes(): string[] {
    const { reached, unlisted, forbidden, failed } = this.kept;
    const failures = [...failed.values()].map(({ place, words }) => `${nameOf(place)} (${words})`);
    return [
      sentence('Reached through the proxy:', [...reached.keys()]),
      sentence('The sandbox refused, as not among the hosts of the agent file (sandbox.network):', [
        ...unlisted.keys(),
      ]),
      ...[...forbidden.values()].slice(0, MAX_NAMED).map(({ words }) => `The sandbox refused: ${words}`),
      sentence('Not reached:', failures),
      this.unreadable === 0 ? null : `The proxy refused requests that it could not read: ${this.unreadable}.`,
      this.turnedAway === 0 ? null : `The proxy turned away connections, too many at once: ${this.turnedAway}.`,
    ].filter((note) => note !== null);
  }

  /** What a list with these hosts in it would have let through. */
  refusals(): Refusal[] {
    return [...this.kept.unlisted.values()]
      .filter(({ place }) => this.isOffered(place))
      .slice(0, MAX_NAMED)
      .map(({ place }) => refusalOf(place));
  }

  private isOffered(place: Place): boolean {
    return hostProblem(place, this.list.privateHosts) === null;
  }
}

const refusalOf = ({ host, port }: Place): Refusal => ({ kind: 'network', host, port });

const nameOf = ({ host, port }: Place): string => `${host}:${port}`;

function sentence(beginning: string, names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const more = names.length > MAX_NAMED ? ' and more' : '';
  return `${beginning} ${names.slice(0, MAX_NAMED).join(', ')}${more}.`;
}
