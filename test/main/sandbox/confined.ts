import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Resolver } from '../../../src/main/network/look-up';
import { createBwrapTier } from '../../../src/main/sandbox/bwrap/bwrap-tier';
import { findBwrapHost } from '../../../src/main/sandbox/bwrap/host';
import { takeAwayIdle } from '../../../src/main/sandbox/bwrap/placeholders';
import { DEFAULT_POLICY, type SandboxPolicy } from '../../../src/main/sandbox/policy';
import type { ProcessResult, Sandbox } from '../../../src/main/sandbox/process';
import { withLinks } from '../../../src/main/sandbox/reach/openings';
import { seccompFilter } from '../../../src/main/sandbox/seccomp/filter';
import { confinable as worksHere } from '../../support/confinable';
import { tempFolder } from './helpers';

/** Whether bubblewrap works here. Tests that need it are left out where it does not, and one test says so in CI. */
export const confinable = worksHere();

const instance = randomUUID();
let tier: Promise<Sandbox> | null = null;
/** The app's own folder, which no command sees. */
let data: string | null = null;

afterAll(async () => {
  if (data !== null) await rm(data, { recursive: true });
});

/** Tier one. */
export function firstTier(): Promise<Sandbox> {
  tier ??= mkdtemp(join(tmpdir(), 'sayso-data-')).then((made) => {
    data = made;
    return makeTier([made]);
  });
  return tier;
}

/** @param resolve what looks up the names of a list of hosts; the system where it is not given */
export async function makeTier(hidden: readonly string[], resolve?: Resolver): Promise<Sandbox> {
  const host = await findBwrapHost();
  if (host === null) throw new Error('There is no bubblewrap here.');
  const names = resolve === undefined ? {} : { resolve };
  return createBwrapTier({ instanceId: instance, host, filter: seccompFilter(), hidden, ...names });
}

export interface ConfinedOptions {
  readonly sandbox?: Sandbox;
  readonly workspace?: string;
  readonly policy?: Partial<SandboxPolicy>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export async function confined(argv: [string, ...string[]], options: ConfinedOptions = {}): Promise<ProcessResult> {
  const workspace = options.workspace ?? (await tempFolder());
  const sandbox = options.sandbox ?? (await firstTier());
  const running = sandbox.run(
    {
      argv,
      cwd: workspace,
      workspace,
      environment: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/root', ...options.environment },
      timeoutMs: options.timeoutMs ?? 60_000,
      policy: await withLinks({ ...DEFAULT_POLICY, ...options.policy }),
    },
    { signal: options.signal ?? new AbortController().signal, onOutput: () => undefined },
  );
  // What holds the places of missing protected paths would stay a while, for the next command.
  return running.finally(takeAwayIdle);
}

export const confinedSh = (script: string, options?: ConfinedOptions): Promise<ProcessResult> =>
  confined(['sh', '-c', script], options);
