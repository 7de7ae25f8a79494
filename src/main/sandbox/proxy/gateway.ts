import type { ChildProcess } from 'node:child_process';
import { type Resolver, systemResolver } from '../../network/look-up';
import type { HostList, SandboxLimits } from '../policy';
import type { ProcessEnd } from '../process';
import type { Refusal } from '../refusal';
import { FilterProxy, type ProxyParts } from './filter-proxy';
import { listening, type Start, takeListener } from './listener';
import { proxyEnvironment } from './proxy-environment';
import { ownRuntime, type Runtime } from './runtime';

/** Processes and threads of what opens the way; of Node and of Electron there are some ten. */
const OWN_TASKS = 32;
/** Of what went wrong, in characters. */
const MAX_WORDS = 300;

/** The resolver is the system's where it is not given. */
export type GatewayParts = Omit<ProxyParts, 'resolve'> & { readonly resolve: Resolver | undefined };

/** The way of one command to the hosts of its list, and to nothing else. */
export class Gateway {
  private readonly proxy: FilterProxy;
  private isOpen = false;

  private constructor(
    private readonly list: HostList,
    private readonly runtime: Runtime,
    parts: ProxyParts,
  ) {
    this.proxy = new FilterProxy(parts);
  }

  static async prepare({ list, resolve, onRefused }: GatewayParts): Promise<Gateway> {
    return new Gateway(list, await ownRuntime(), { list, resolve: resolve ?? systemResolver, onRefused });
  }

  /** What has to be readable in the sandbox for it. */
  get files(): readonly string[] {
    return this.runtime.files;
  }

  /** The same limits, but not too tight for what opens the way before the command begins. */
  static roomFor(limits: SandboxLimits): SandboxLimits {
    return { ...limits, processes: Math.max(limits.processes, OWN_TASKS) };
  }

  /** What is started in the sandbox in place of a command, and becomes it. */
  around({ words, environment }: Start): Start {
    return listening(this.runtime.program, { words, environment: proxyEnvironment(environment, this.list) });
  }

  /** Everything of it ends with this child, which has a channel. */
  serve(child: ChildProcess): void {
    child.once('exit', () => this.close());
    takeListener(child, async (listener) => {
      await this.proxy.listen(listener);
      this.isOpen = true;
    });
  }

  close(): void {
    this.proxy.close();
  }

  /** Why the command did not begin; null where it did, or was ended before it could. */
  shutProblem(end: ProcessEnd, output: string): string | null {
    if (this.isOpen || (end.type !== 'exited' && end.type !== 'signalled')) return null;
    const last = output.trim().split('\n').at(-1)?.slice(0, MAX_WORDS) ?? '';
    return `its way to the network could not be opened${last === '' ? '' : ` (${last})`}`;
  }

  /** What became of its connections, for model and operator. */
  told(): { readonly notes: readonly string[]; readonly refused: readonly Refusal[] } {
    return { notes: this.proxy.outcomes.notes(), refused: this.proxy.outcomes.refusals() };
  }
}
