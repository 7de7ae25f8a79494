import { randomUUID } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBody, EventOf, EventType } from '@shared/events';
import { RunId } from '@shared/ids';
import type { ApprovalRequest, Request } from '@shared/requests';
import type { Resolver } from '../../../src/main/network/look-up';
import { confine, DEFAULT_POLICY, type SandboxPolicy } from '../../../src/main/sandbox/policy';
import { runCommandTool } from '../../../src/main/tools/computer/run-command';
import { shellTool } from '../../../src/main/tools/computer/shell';
import { type RunOptions, startRun, waitForRequests } from '../../support/run';
import type { Store } from '../../support/store';
import { makeTier } from '../sandbox/confined';
import { tempFolder } from '../sandbox/helpers';

/** A workspace, a folder beside it, and the real sandbox for runs in it. */
export async function makePlace(policy: Partial<SandboxPolicy> = {}, resolve?: Resolver) {
  const base = await realpath(await tempFolder());
  const [workspace, outside, own] = [join(base, 'ws'), join(base, 'outside'), join(base, 'own')];
  for (const folder of [workspace, outside, own]) await mkdir(folder);
  const tier = await makeTier([own], resolve);
  const enforced = { ...tier.tier, files: 'enforced', network: 'enforced', processes: 'enforced' } as const;
  const sandbox = confine(
    { ...tier, tier: { ...enforced, privileges: 'enforced' } },
    { ...DEFAULT_POLICY, ...policy },
    { require: 'none', network: false, accept: [] },
  );
  const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/root' };
  return { base, workspace, outside, own, context: { workspace, sandbox, environment } };
}
export type Place = Awaited<ReturnType<typeof makePlace>>;

/** A run of the real command tools in it; what is given is the commands of `sh`, one a turn. */
export function runIn(store: Store, place: Place, scripts: readonly string[], options: RunOptions = {}) {
  const turns = [...scripts.map((command) => ({ calls: [{ tool: 'shell', input: { command } }] })), { say: 'Done.' }];
  const started = startRun(store, turns, [shellTool, runCommandTool], {
    ...options,
    context: { ...place.context, ...options.context },
  });
  return { ...started, of: <T extends EventType>(type: T) => only(started.events(), type) };
}

export function only<T extends EventType>(events: readonly EventBody[], type: T): EventOf<T>[] {
  return events.filter((body): body is EventOf<T> => body.type === type);
}

/** The same session in a run of its own, as after a restart. */
export function again(ref: { readonly sessionId: EventOf<'request_opened'>['request']['sessionId'] }) {
  return { sessionId: ref.sessionId, runId: RunId.parse(randomUUID()) };
}

/** The next request that is open and not this one. */
export async function nextRequest(store: Store, after?: Request): Promise<ApprovalRequest> {
  for (;;) {
    const request = (await waitForRequests(store)).find(({ id }) => id !== after?.id);
    if (request?.kind === 'approval') return request;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function approve(store: Store, { id, digest }: Request): void {
  store.inbox.answer(id, digest, { type: 'approve', remember: null });
}

/** Approves the command itself, and waits for the question that it comes to. */
export async function askedForMore(store: Store): Promise<ApprovalRequest> {
  const first = await nextRequest(store);
  approve(store, first);
  return nextRequest(store, first);
}
