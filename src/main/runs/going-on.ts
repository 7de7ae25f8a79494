import type { Grant } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import { isConfinedAs, sandboxOf } from '../approvals/confined-as';
import { type AgentChange, compareFingerprints, Fingerprint } from './fingerprint';
import type { PreparedAgent } from './prepare-agent';
import { Refusal } from './refusal';

/** What the operator says of how a session goes on. */
export interface GoingOn {
  /** Whether it goes on although its agent's prompt or model is not what it was. */
  readonly agentChanged: 'ask' | 'anyway';
  /** The agent and the folder that they chose; null for those that the session knows. */
  readonly place: { readonly agentId: string; readonly workspace: string } | null;
}

export interface Change {
  /** What the operator should know of it. */
  readonly notices: readonly string[];
  /** Its remembered approvals were given for something else. */
  readonly dropGrants: boolean;
}

/**
 * Whether a session may go on with an agent and a folder as they are now (semantics: resume), wherever they lie. Pure.
 * @param fingerprint of the agent when the session last went on, as its row keeps it
 * @throws Refusal `changed` when the operator has to say so, `refused` when it cannot go on
 */
export function checkGoingOn(
  session: SessionSummary,
  fingerprint: string,
  prepared: PreparedAgent,
  { agentChanged, place }: GoingOn,
): Change {
  const change = changeOf(session, fingerprint, prepared);
  if (change.kind === 'provider') {
    throw new Refusal(
      'refused',
      `This session was held with the provider ${session.provider}, and its agent now names ${prepared.provider}.`,
      'Start a new run, or set the agent file back.',
    );
  }
  if (change.kind === 'agent' && agentChanged === 'ask') {
    throw new Refusal(
      'changed',
      `The agent changed since this session: ${change.what.join(' and ')}.`,
      'Go on anyway, without its remembered approvals, or set the agent file back.',
    );
  }
  const moved = place === null ? [] : movedTo(session, prepared);
  const changed = wordsOf(change);
  const dropGrants = moved.length > 0 || change.kind === 'agent' || change.kind === 'tools';
  const dropped = dropGrants ? ' Remembered approvals were dropped.' : '';
  return { notices: [...moved, ...changed].map((text, at) => (at === 0 ? `${text}${dropped}` : text)), dropGrants };
}

/**
 * Remembered approvals that count for nothing here, in words: the calls that they would cover are confined less than where
 * they were given, or that is not on record (an older Sayso did not keep it). Pure.
 */
export function uncountedGrants(
  grants: readonly Grant[],
  { tools, context }: Pick<PreparedAgent, 'tools' | 'context'>,
): string[] {
  const { tier } = context.sandbox;
  return grants.flatMap(({ match, covers }) => {
    const tool = tools.get(match.tool);
    if (match.scope !== 'session' || tool?.kind !== 'action') return [];
    if (isConfinedAs(match.sandbox, sandboxOf(tool.keptBy, tier))) return [];
    const why =
      match.sandbox === undefined
        ? 'it is not on record how commands were confined where it was remembered'
        : `commands are not confined here (${tier.label}) as they were where it was remembered (${match.sandbox.label})`;
    return [`Asked about again, although it was remembered: ${covers}. The reason: ${why}.`];
  });
}

function changeOf({ provider }: SessionSummary, fingerprint: string, prepared: PreparedAgent): AgentChange {
  if (provider !== prepared.provider) return { kind: 'provider' };
  const before = Fingerprint.safeParse(parsed(fingerprint));
  // What cannot be compared counts as changed: a file that was taken in can say anything here.
  if (!before.success) return { kind: 'agent', what: ['what it was is not on record'] };
  return compareFingerprints(before.data, prepared.fingerprint);
}

function movedTo({ agentId, workspace }: SessionSummary, { settings, context }: PreparedAgent): string[] {
  if (agentId === settings.agentId && workspace === context.workspace) return [];
  return [
    `It goes on here, as you chose: the agent ${settings.agentName} (${settings.agentId}) in ${context.workspace}.`,
  ];
}

function wordsOf(change: AgentChange): string[] {
  if (change.kind === 'limits') return ['The limits of the agent changed since this session was begun.'];
  if (change.kind === 'tools') return ['The agent changed since this session was begun: its tools.'];
  if (change.kind === 'agent') return [`The agent changed since this session was begun: ${change.what.join(' and ')}.`];
  return [];
}

/** Nothing of it is left to be done. */
export function hasEnded(): Refusal {
  return new Refusal('conflict', 'This session has come to its end.', 'Send it a message to go on.');
}

/** It came from a file: nothing of it runs before the operator has said with what. */
export function takenIn(): Refusal {
  return new Refusal(
    'elsewhere',
    'This session was taken in from a file, which says what it likes of its agent and its folder.',
    'Say which agent and which folder it goes on with here.',
  );
}

/** The same error, unless it is that the agent or the folder is gone: then the operator may name another. */
export function goneFrom(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'not-found') return error;
  return new Refusal('elsewhere', error.message, 'Put it back, or say which agent and which folder it goes on with.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
