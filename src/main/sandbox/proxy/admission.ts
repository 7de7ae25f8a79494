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

/** Look-ups occupy threads that all of the app shares. */
const MAX_LOOKUPS = 4;
/** In milliseconds. A look-up cannot be ended, but it can be left. */
const LOOKUP_MS = 10_000;

/** Decides about each connection of one command: first by the name, and only then by what it stands for. */
export class Admissions {
  private looking = 0;
  private readonly waiting: (() => void)[] = [];

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
    const words = errorWords(error);
    this.outcomes.add('failed', place, words);
    return { status: 502, words: `${bareHost(place.host)} ${words}` };
  }

  private async lookUp(name: string): Promise<readonly string[]> {
    if (this.looking >= MAX_LOOKUPS) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.looking += 1;
    try {
      return await inTime(this.resolve(name));
    } finally {
      this.looking -= 1;
      this.waiting.shift()?.();
    }
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = Object.assign(new Error('The name server does not answer.'), { code: 'EAI_AGAIN' });
    const timer = setTimeout(() => reject(late), LOOKUP_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
