import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { explainFailure } from './denial';
import type { Launcher } from './launch';
import { openProcess } from './open-process';
import { plainLauncher } from './plain-launcher';
import { DEFAULT_POLICY, type SandboxPolicy, withoutHosts } from './policy';
import type { Sandbox } from './process';
import { findOpenings, type Openings } from './reach/openings';
import { protectedPaths } from './reach/protected';
import { repositoriesIn } from './reach/repositories';
import { environmentVariants } from './reach/variants';
import { type Command, runCommand } from './run-command';
import { findRefusals } from './wider/find-refusals';
import { offerAll } from './wider/offer';

/** Variants of `.env` that are not there yet; a rule for all of them would have to be an expression. */
const COMMON_VARIANTS = ['.env.local', '.env.development', '.env.production', '.env.staging', '.env.test'] as const;

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/** macOS: sandbox-exec. Written from its documentation and not yet tried on a Mac; the probe says there what holds. */
export function createSeatbeltTier(instanceId: string, hidden: readonly string[]): Sandbox {
  return {
    tier: {
      name: 'sandbox-exec',
      label: 'sandbox-exec',
      files: 'unknown',
      network: 'unknown',
      processes: 'unknown',
      privileges: 'unknown',
    },
    run: (spec, io) => runCommand(instanceId, spec, io, (command) => seatbeltLauncher(command, hidden)),
    offer: (wanted, place) => offerAll(wanted, place, { own: [], files: 'open' }),
    open: (spec) => openProcess(instanceId, spec, (command) => seatbeltLauncher(command, hidden)),
  };
}

function seatbeltLauncher({ spec, program, mark, owner }: Command, hidden: readonly string[]): Launcher {
  const policy = withoutHosts(spec.policy ?? DEFAULT_POLICY);
  return {
    async plan(place) {
      const launching = await plainLauncher(spec, program, mark, owner).plan(place);
      const temporary = await realpath(spec.environment.TMPDIR ?? '/tmp');
      const openings = await findOpenings(spec.workspace, policy);
      const repositories = await repositoriesIn([spec.workspace, ...openings.write], policy.repositories);
      const profile = seatbeltProfile({
        workspace: spec.workspace,
        openings,
        closed: [
          ...protectedPaths(spec.workspace, repositories.values(), [
            ...policy.protect,
            ...(policy.own ?? []),
            ...openings.keep,
          ]),
          ...(await environmentVariants(spec.workspace)),
          ...COMMON_VARIANTS.map((name) => join(spec.workspace, name)),
        ],
        home: spec.environment.HOME,
        temporary,
        policy,
        hidden,
      });
      return {
        ...launching,
        launch: {
          ...launching.launch,
          file: SANDBOX_EXEC,
          argv0: 'sandbox-exec',
          args: ['-p', profile, program, ...spec.argv.slice(1)],
        },
        conclude: async (end, output) => ({
          end,
          notes: explainFailure(end, output, {
            policy,
            hasLimits: false,
            hasOwnFiles: false,
            usedUpCpu: false,
          }),
          refused: findRefusals({
            ...spec,
            end,
            output,
            network: policy.network === true ? 'open' : 'shut',
            shown: () => 'write',
          }),
        }),
      };
    },
  };
}

export interface SeatbeltInput {
  readonly workspace: string;
  readonly openings: Pick<Openings, 'read' | 'write'>;
  /** Absolute paths that are never writable. */
  readonly closed: readonly string[];
  readonly home: string | undefined;
  readonly temporary: string;
  readonly policy: SandboxPolicy;
  readonly hidden: readonly string[];
}

/** The profile: the last rule that matches decides. Protected paths hold whether they exist or not. */
export function seatbeltProfile(input: SeatbeltInput): string {
  const { workspace, closed, home, temporary, policy, hidden } = input;
  const { read, write } = input.openings;
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork process-info* sysctl-read mach-lookup file-ioctl)',
    '(allow signal (target same-sandbox))',
    '(allow file-read*)',
    ...(home === undefined ? [] : [rule('deny', 'file-read-data', [home, '/Users', '/private/etc/master.passwd'])]),
    rule('allow', 'file-read*', [...read, ...write, workspace, temporary]),
    rule('allow', 'file-write*', [...write, workspace, temporary]),
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty"))',
    rule('deny', 'file-write*', closed),
    // A folder above a protected path cannot be renamed away either.
    `(deny file-write-unlink ${literal(join(workspace, '.git'))})`,
    rule('deny', 'file-read* file-write*', hidden),
    ...(policy.network === true ? ['(allow network*)'] : []),
  ].join('\n');
}

const rule = (verdict: 'allow' | 'deny', operation: string, paths: readonly string[]): string =>
  `(${verdict} ${operation} ${paths.map((path) => `(subpath ${string(path)})`).join(' ')})`;

const literal = (path: string): string => `(literal ${string(path)})`;

const string = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;
