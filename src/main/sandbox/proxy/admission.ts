import { errorWords } from '../../network/error-words';
import { isListed } from '../../network/host-list';
import { bareHost, type Place } from '../../network/host-rules';
import { checkedAddresses, type Resolver } from '../../network/look-up';
import type { HostList } from '../policy';
import type { Outcomes } from './outcomes';

/** Where a connection may go, or how it is refused, in HTTP. */
export type Admission = { readonly addresses: readonly [string, ...string[]] } | Refused;

export interface Refused {
  readonly status: 400 | 403 | 502;
  readonly words: string;
}

/** Of what went wrong, in characters: some errors name what a stranger sent. */
const MAX_WORDS = 200;
/** How long a connection waits for its name, in milliseconds. A look-up cannot be ended, but it can be left. */
const LOOKUP_MS = 10_000;

/** Decides about each connection of one command: first by the name, and only then by what it stands for. */
export class Admissions {
  /** One name after the other: a look-up occupies a thread of the few that all of the app shares. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly asked = new Map<string, Promise<readonly string[]>>();
  private isClosed = false;

  constructor(
    private readonly list: HostList,
    private readonly resolve: Resolver,
    private readonly outcomes: Outcomes,
  ) {}

  async admit(place: Place): Promise<Admission> {
    const { hosts, privateHosts } = this.list;
    if (!isListed(place, hosts)) {
      this.outcomes.add('unlisted', place);
      const words = `${place.host}:${place.port} is not among the hosts that the agent file allows (sandbox.network)`;
      return { status: 403, words };
    }
    try {
      const found = await checkedAddresses(place, privateHosts, (name) => this.lookUp(name));
      if ('addresses' in found) return found;
      this.outcomes.add('forbidden', place, found.problem);
      return { status: 403, words: found.problem.replace(/\.$/, '') };
    } catch (error) {
      return this.failed(place, error);
    }
  }

  /** A place that may be reached, and was not. */
  failed(place: Place, error: unknown): Refused {
    const words = errorWords(error).slice(0, MAX_WORDS);
    this.outcomes.add('failed', place, words);
    return { status: 502, words: `${bareHost(place.host)} ${words}` };
  }

  /** Nothing is looked up any more. */
  close(): void {
    this.isClosed = true;
  }

  /** Connections that ask for one name at the same time share its look-up. */
  private lookUp(name: string): Promise<readonly string[]> {
    const known = this.asked.get(name);
    if (known !== undefined) return inTime(known);
    const asked = this.last.then(() => (this.isClosed ? [] : this.resolve(name)));
    this.asked.set(name, asked);
    this.last = asked.catch(() => undefined).finally(() => this.asked.delete(name));
    return inTime(asked);
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = Object.assign(new Error('The name server does not answer.'), { code: 'EAI_AGAIN' });
    const timer = setTimeout(() => reject(late), LOOKUP_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
