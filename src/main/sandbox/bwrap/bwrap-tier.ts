import type { SandboxTier } from '@shared/states';
import type { Resolver } from '../../network/look-up';
import { openProcess } from '../open-process';
import type { Sandbox } from '../process';
import { NO_PRLIMIT, NO_SIZES } from '../remedies';
import { runCommand } from '../run-command';
import { offerAll } from '../wider/offer';
import { bwrapLauncher } from './bwrap-launcher';
import type { BwrapHost } from './host';
import { SurroundingsFinder } from './surroundings';

export interface BwrapTierOptions {
  readonly instanceId: string;
  readonly host: BwrapHost;
  /** null: the tier without a filter. */
  readonly filter: Buffer | null;
  /** Real paths that no command gets to see. */
  readonly hidden: readonly string[];
  /** Further paths that nothing is opened of by an answer, though commands may see them: what decides what runs. */
  readonly own?: () => readonly string[];
  /** What looks up the names of a list of hosts. Default: the system. */
  readonly resolve?: Resolver;
}

/** Linux: bubblewrap. What of it holds on this machine only the probe can tell, so here nothing is known. */
export function createBwrapTier({ instanceId, host, filter, hidden, own, resolve }: BwrapTierOptions): Sandbox {
  const parts = { host, filter, hidden, resolve, surroundings: new SurroundingsFinder(host) };
  const notes = [...(host.hasPrlimit ? [] : [NO_PRLIMIT]), ...(host.canLimitSize ? [] : [NO_SIZES])];
  const tier: SandboxTier = {
    name: filter === null ? 'bubblewrap' : 'bubblewrap-seccomp',
    label: filter === null ? 'bubblewrap' : 'bubblewrap + seccomp',
    files: 'unknown',
    network: 'unknown',
    processes: 'unknown',
    privileges: 'unknown',
    ...(notes.length === 0 ? {} : { notes }),
  };
  return {
    tier,
    run: (spec, io) => runCommand(instanceId, spec, io, (command) => bwrapLauncher(command, parts)),
    offer: (wanted, place) => offerAll(wanted, place, { own: [...hidden, ...(own?.() ?? [])], files: 'confined' }),
    open: (spec) => openProcess(instanceId, spec, (command) => bwrapLauncher(command, parts)),
  };
}
