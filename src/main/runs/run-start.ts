import type { EventBody } from '@shared/events';
import type { SessionId } from '@shared/ids';
import type { NewSession } from '../sessions/journal';
import type { PreparedAgent } from './prepare-agent';

/** A session as its first run makes it. */
export function newSession(id: SessionId, title: string, agentId: string, prepared: PreparedAgent): NewSession {
  const { settings, fingerprint, provider, context } = prepared;
  return {
    id,
    title,
    agentId,
    agent: settings.agentName,
    provider,
    model: fingerprint.model,
    workspace: context.workspace,
    mode: settings.mode,
    fingerprint: JSON.stringify(fingerprint),
  };
}

/** The first event of a run. */
export function runStarted(
  { settings, fingerprint, provider, context }: PreparedAgent,
  how: 'anew' | 'resumed' | 'taken in',
): EventBody {
  return {
    type: 'run_started',
    resumed: how !== 'anew',
    agent: settings.agentName,
    provider,
    model: fingerprint.model,
    workspace: context.workspace,
    mode: settings.mode,
    sandbox: context.sandbox.tier,
    ...(how === 'taken in' ? { takenIn: true } : {}),
  };
}

export function warning(text: string): EventBody {
  return { type: 'notice', level: 'warning', text };
}
