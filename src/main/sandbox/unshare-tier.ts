import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { SandboxTier } from '@shared/states';
import { explainFailure, processesNote, treeLimitNote } from './denial';
import type { Launcher } from './launch';
import { type HardLimits, hardLimits, limitCommand, limitScript, PRLIMIT } from './limits';
import { LimitsWatch, watchedTree } from './limits-watch';
import { openProcess } from './open-process';
import { plainLauncher } from './plain-launcher';
import { DEFAULT_POLICY, withoutHosts } from './policy';
import type { Sandbox } from './process';
import { NO_PRLIMIT } from './remedies';
import { type Command, runCommand } from './run-command';
import { takeTaskGroup } from './task-group';
import { findRefusals } from './wider/find-refusals';
import { offerAll } from './wider/offer';

/** util-linux, all of it. */
const UNSHARE = '/usr/bin/unshare';
const SETPRIV = '/usr/bin/setpriv';
const ENV = '/usr/bin/env';
const TOOLS = [UNSHARE, SETPRIV, ENV];

/** What the dynamic linker takes from the environment would already act on `unshare` itself. */
const LINKER = /^(LD_|GLIBC_TUNABLES$)/;

export interface UnshareHost {
  readonly hasPrlimit: boolean;
  readonly hardLimits: HardLimits;
}

/** @returns null where the tools are missing. */
export async function findUnshareHost(tools: readonly string[] = TOOLS): Promise<UnshareHost | null> {
  const has = (path: string): Promise<boolean> =>
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
  if (!(await Promise.all(tools.map(has))).every(Boolean)) return null;
  return { hasPrlimit: await has(PRLIMIT), hardLimits: await hardLimits() };
}

/** Linux without bubblewrap: no network, a process tree of its own and no privileges, but every file of the user. */
export function createUnshareTier(instanceId: string, host: UnshareHost): Sandbox {
  const tier: SandboxTier = {
    name: 'unshare',
    label: 'unshare',
    files: 'not-enforced',
    network: 'unknown',
    processes: 'unknown',
    privileges: 'unknown',
    ...(host.hasPrlimit ? {} : { notes: [NO_PRLIMIT] }),
  };
  return {
    tier,
    run: (spec, io) => runCommand(instanceId, spec, io, (command) => unshareLauncher(command, host)),
    offer: (wanted, place) => offerAll(wanted, place, { own: [], files: 'open' }),
    open: (spec) => openProcess(instanceId, spec, (command) => unshareLauncher(command, host)),
  };
}

function unshareLauncher(command: Command, host: UnshareHost): Launcher {
  const { spec, program, mark, owner } = command;
  const policy = withoutHosts(spec.policy ?? DEFAULT_POLICY);
  const variables = Object.entries(spec.environment);
  const forLinker = variables.filter(([name]) => LINKER.test(name)).map(([name, value]) => `${name}=${value}`);
  const words = [
    ...[UNSHARE, '--user', '--map-current-user', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'],
    ...['--ipc', '--uts', ...(policy.network === true ? [] : ['--net']), '--'],
    ...[SETPRIV, '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--'],
    ...(host.hasPrlimit ? limitCommand(policy.limits, host.hardLimits) : []),
    ...(forLinker.length > 0 ? [ENV, ...forLinker] : []),
    program,
    ...spec.argv.slice(1),
  ];
  return {
    async plan(place) {
      const launching = await plainLauncher(spec, program, mark, owner).plan(place);
      // For anyone but root the kernel counts by itself.
      const group = owner === null ? await takeTaskGroup(policy.limits.processes) : null;
      const limiting = host.hasPrlimit ? [] : limitScript(policy.limits, host.hardLimits);
      let watch: LimitsWatch | null = null;
      return {
        ...launching,
        tree(child, reports) {
          // Where it cannot enter by itself: what it started before that is outside, and the looks limit it.
          if (group?.enter === null) void group.add(child.pid);
          watch = new LimitsWatch({
            root: () => child.pid,
            limits: policy.limits,
            writable: [spec.workspace, ...policy.write, spec.environment.HOME ?? '/', tmpdir(), '/dev/shm'],
            // With `unshare` ends its namespace.
            kill: () => child.kill('SIGKILL'),
          });
          return watchedTree(launching.tree(child, reports), watch);
        },
        launch: {
          ...launching.launch,
          // The shell knows all of them but the number of processes, which the looks limit.
          prepare: group?.enter ? [group.enter, ...limiting] : limiting,
          file: SETPRIV,
          argv0: 'setpriv',
          // The app's end, kill -9 included, is the end of `unshare`, and that the end of the namespace.
          args: ['--pdeathsig', 'KILL', '--', ...words],
          environment: Object.fromEntries(variables.filter(([name]) => !LINKER.test(name))),
        },
        async conclude(end, output) {
          const isFull = group?.wasReached() === true;
          group?.release();
          const { limits } = policy;
          const limit = watch?.limit ?? null;
          const usedUpCpu = watch?.usedUpCpu === true;
          const notes = explainFailure(end, output, { policy, hasLimits: true, hasOwnFiles: false, usedUpCpu });
          const full = isFull ? [processesNote(limits)] : [];
          const network = policy.network === true ? 'open' : 'shut';
          return {
            end,
            notes: limit === null ? [...new Set([...full, ...notes])] : [treeLimitNote(limit, limits)],
            refused: findRefusals({ ...spec, end, output, network, shown: () => 'write' }),
          };
        },
        async abandon() {
          group?.release();
        },
      };
    },
  };
}
