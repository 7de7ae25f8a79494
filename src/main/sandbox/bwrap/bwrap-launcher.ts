import { basename } from 'node:path';
import { appearedNotes, explainFailure, placedNotes, processesNote, treeLimitNote } from '../denial';
import type { Conclusion, Launcher, Launching } from '../launch';
import { limitCommand, limitScript } from '../limits';
import { openEndlessPipe } from '../output-pipe';
import { covers, toldIn } from '../paths';
import { DEFAULT_POLICY, hostListOf, type SandboxLimits, type SandboxPolicy } from '../policy';
import type { ProcessEnd, ProcessSpec } from '../process';
import { Gateway } from '../proxy/gateway';
import { findOpenings } from '../reach/openings';
import type { Command } from '../run-command';
import { type TaskGroup, takeTaskGroup } from '../task-group';
import { findRefusals } from '../wider/find-refusals';
import { releaseHeld } from './hold';
import type { BwrapHost } from './host';
import { enterLive, type LiveFolders } from './live-folders';
import { type Mount, mountAt } from './mounts';
import { NamespaceTree } from './namespace-tree';
import { type BwrapParts, prepare, readsOf } from './prepare';
import type { Protection } from './protected-paths';
import type { Sentinel } from './sentinel';

/** Starts a command in namespaces of its own, with only what it needs mounted in them. */
export function bwrapLauncher(command: Command, parts: BwrapParts): Launcher {
  const { spec, program, mark, owner } = command;
  const policy = spec.policy ?? DEFAULT_POLICY;
  const { host } = parts;
  const list = hostListOf(policy);
  const limits = list === null ? policy.limits : Gateway.roomFor(policy.limits);

  const planIn = async (folders: LiveFolders, firstFd: number): Promise<Launching> => {
    const openings = await findOpenings(spec.workspace, policy);
    const writable = [spec.workspace, ...openings.write];
    const surroundings = await parts.surroundings.find(spec.environment, owner, writable);
    let tree: NamespaceTree | null = null;
    const isHeld = folders.open({
      writable,
      seen: [...openings.read, ...surroundings.mounts.map(({ path }) => path)],
      hasMounts: () => tree !== null && tree.mountsMade() !== null,
    });
    const gate = isHeld ? await openEndlessPipe() : null;
    const group = owner === null ? await takeTaskGroup(limits.processes) : null;
    const gateway =
      list === null ? null : await Gateway.prepare({ list, resolve: parts.resolve, onRefused: spec.onRefused });
    const { before, inside } = limiting(policy.limits, host, group);
    const own = {
      words: [...inside, program, ...spec.argv.slice(1)],
      environment: { ...spec.environment, HOME: surroundings.home, TMPDIR: '/tmp' },
    };
    const { words, environment } = gateway?.around(own) ?? own;
    const endCommand = () => tree?.kill();
    const looked = { surroundings, openings, runtime: gateway?.files ?? [], environment, firstFd, isHeld };
    const preparing = prepare({ command, policy, parts, ...looked, endCommand });
    // Whoever waits for it is told.
    preparing.catch(() => undefined);
    let released: Promise<string | null> = Promise.resolve(null);
    return {
      launch: {
        prepare: before,
        file: host.bwrap,
        argv0: basename(host.bwrap),
        args: ['--args', String(firstFd), '--', ...words],
        cwd: '/',
        // What the agent file sets is for the command, not for what confines it.
        environment: markOnly(mark),
        owner,
        reads: readsOf(parts),
        // Until it has read its options, bwrap has started nothing that could be outside of the group.
        ...(group === null || group.enter !== null ? {} : { beforeFeeds: (pid: number) => group.add(pid) }),
        reports: true,
        ...(gate === null ? {} : { gate: gate.fd }),
        channel: gateway !== null,
      },
      feeds: async () => (await preparing).feeds,
      tree(child, reports) {
        if (reports === null) throw new Error('The sandbox has no way to report.');
        gateway?.serve(child);
        const started = new NamespaceTree(child, reports, { limits, writable });
        tree = started;
        if (gate !== null) {
          released = preparing.then(({ mounts }) => releaseHeld({ tree: started, mounts, folders, gate }));
          released.catch(() => undefined);
        }
        return tree;
      },
      conclude: async (end, output) => {
        folders.leave();
        const { protection, sentinel, mounts } = await preparing;
        const changed = await released.catch(() => spec.workspace);
        await gate?.close().catch(() => undefined);
        return conclude({ end, output, tree, policy, protection, sentinel, group, gateway, mounts, spec, changed });
      },
      async abandon() {
        folders.leave();
        group?.release();
        gateway?.close();
        await released.catch(() => undefined);
        await gate?.close().catch(() => undefined);
        await preparing
          .then(({ sentinel, protection }) => sentinel.end().finally(protection.release))
          .catch(() => undefined);
      },
    };
  };

  return {
    async plan({ firstFd }) {
      const refused = refusal(spec.workspace, parts.hidden);
      if (refused !== null) throw new Error(refused);
      const folders = enterLive();
      try {
        return await planIn(folders, firstFd);
      } catch (error) {
        folders.leave();
        throw error;
      }
    },
  };
}

/**
 * Who sets the limits: the shell that has to be there anyway, or one more program. Each is another start, and counts.
 * What the shell leaves out, the number of processes, is what the group counts, or else only the looks at the tree.
 */
function limiting(limits: SandboxLimits, host: BwrapHost, group: TaskGroup | null) {
  if (group?.enter) return { before: [group.enter, ...limitScript(limits, host.hardLimits)], inside: [] };
  if (!host.hasPrlimit) return { before: limitScript(limits, host.hardLimits), inside: [] };
  return { before: [], inside: limitCommand(limits, host.hardLimits) };
}

/** Why a workspace cannot be confined; null where it can. */
function refusal(workspace: string, hidden: readonly string[]): string | null {
  if (workspace === '/') return 'the whole file system cannot be the workspace of a sandbox';
  const own = hidden.find((folder) => covers(folder, workspace));
  return own === undefined ? null : `the workspace lies in the data folder of Sayso (${own})`;
}

function markOnly(mark: string): Record<string, string> {
  const [name = '', value = ''] = mark.split('=');
  return { PATH: '/usr/bin:/bin', [name]: value };
}

interface Ended {
  readonly end: ProcessEnd;
  readonly output: string;
  readonly tree: NamespaceTree | null;
  readonly policy: SandboxPolicy;
  readonly protection: Protection;
  readonly sentinel: Sentinel;
  readonly group: TaskGroup | null;
  readonly gateway: Gateway | null;
  readonly mounts: readonly Mount[];
  readonly spec: Pick<ProcessSpec, 'argv' | 'cwd' | 'workspace'>;
  /** What was changed before it could start, which it did not then; null for nothing. */
  readonly changed: string | null;
}

async function conclude(ended: Ended): Promise<Conclusion> {
  const { end, output, tree, policy, protection, sentinel, group, gateway, mounts, spec, changed } = ended;
  const [name] = spec.argv;
  const reached = group?.wasReached() ?? false;
  group?.release();
  gateway?.close();
  const appeared = await sentinel.end().finally(protection.release);
  const notes = appearedNotes(appeared);
  if (changed !== null) {
    const message = `${name} was not started: another command changed ${changed} while it was being prepared. Try again.`;
    return { end: { type: 'not-started', message }, notes };
  }
  const limit = tree?.limit ?? null;
  const network = gateway?.told() ?? { notes: [], refused: [] };
  if (limit !== null || appeared.insisted !== null) {
    // Ended by us: no signal or word of it says more.
    const ours = limit === null ? [] : [treeLimitNote(limit, policy.limits)];
    return { end, notes: [...ours, ...notes, ...network.notes], refused: network.refused };
  }
  if (end.type === 'exited' && tree?.wasStarted === false) {
    const message = `${name} cannot be started in the sandbox: ${output.trim() || `bwrap ended with ${end.exitCode}`}.`;
    return { end: { type: 'not-started', message }, notes };
  }
  const shut = gateway?.shutProblem(end, output) ?? null;
  if (shut !== null) return { end: { type: 'not-started', message: `${name} cannot be started: ${shut}.` }, notes };
  const bomb = reached ? [processesNote(policy.limits)] : [];
  const confinement = { policy, hasLimits: true, hasOwnFiles: true, usedUpCpu: tree?.usedUpCpu === true };
  const placed = placedNotes(
    end,
    output,
    protection.placed.map((path) => toldIn(spec.workspace, path)),
  );
  const all = [...bomb, ...placed, ...explainFailure(end, output, confinement), ...network.notes, ...notes];
  const shown = (path: string) => shownAs(path, mounts);
  const found = findRefusals({ ...spec, end, output, shown, network: policy.network === false ? 'shut' : 'open' });
  return { end, notes: [...new Set(all)], refused: [...network.refused, ...found] };
}

function shownAs(path: string, mounts: readonly Mount[]): 'read' | 'write' | null {
  const kind = mountAt(path, mounts)?.kind;
  return kind === 'read' || kind === 'write' ? kind : null;
}
