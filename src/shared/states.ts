import { z } from 'zod';

export const RunState = z.enum([
  'starting',
  'thinking',
  'acting',
  'waiting',
  'completed',
  'stopped',
  'failed',
  'budget',
  'interrupted',
]);
export type RunState = z.infer<typeof RunState>;

const TERMINAL = ['completed', 'stopped', 'failed', 'budget', 'interrupted'] as const satisfies readonly RunState[];
export type TerminalState = (typeof TERMINAL)[number];
export type ActiveState = Exclude<RunState, TerminalState>;

export const TerminalState = z.enum(TERMINAL);
export const ActiveState = RunState.exclude(TERMINAL);

export function isTerminal(state: RunState): state is TerminalState {
  return TerminalState.safeParse(state).success;
}

/** A session that ended in one of these goes on with Resume; every other ended one goes on with a message. */
export function isResumable(state: RunState): boolean {
  return state === 'interrupted' || state === 'budget' || state === 'stopped' || state === 'failed';
}

/** How a request or a gated call ended. Only `approved` ever runs anything. */
export const Outcome = z.enum([
  'approved',
  'declined',
  'expired',
  'stopped',
  'interrupted',
  'no-operator',
  'readonly',
  'failed',
]);
export type Outcome = z.infer<typeof Outcome>;
export const Denial = Outcome.exclude(['approved']);
export type Denial = z.infer<typeof Denial>;

export const ApprovalMode = z.enum(['auto', 'ask', 'readonly']);
export type ApprovalMode = z.infer<typeof ApprovalMode>;

export const RememberScope = z.enum(['exact', 'session', 'agent']);
export type RememberScope = z.infer<typeof RememberScope>;

export const Provider = z.enum(['anthropic', 'scripted']);
export type Provider = z.infer<typeof Provider>;

/** Whether a protection was seen to hold on this machine. `unknown` is shown and treated as not enforced. */
export const Protection = z.enum(['enforced', 'not-enforced', 'unknown']);
export type Protection = z.infer<typeof Protection>;

/**
 * What keeps a call within bounds: the sandbox of the run, for its commands and for the program of an MCP server; Sayso's
 * own rules, for the tools that work in the app itself; nothing here, for a server at an address. `app` only looks around.
 */
export const KeptBy = z.enum(['sandbox', 'server-sandbox', 'file-rules', 'web-rules', 'app', 'server']);
export type KeptBy = z.infer<typeof KeptBy>;

/** From the strongest to the weakest. `sandbox-exec` is that of macOS. */
export const TIER_NAMES = ['bubblewrap-seccomp', 'bubblewrap', 'sandbox-exec', 'unshare', 'process'] as const;

export const SandboxTier = z.strictObject({
  name: z.enum(TIER_NAMES),
  /** Shown as it is, for example "process only". */
  label: z.string(),
  files: Protection,
  network: Protection,
  processes: Protection,
  privileges: Protection,
  /** All that commands reach of the network, as in the agent file; not there where that is everything or nothing. */
  hosts: z.array(z.string()).optional(),
  /** For the operator: which attempts succeeded, why a stronger tier is not there, and what to do about it. */
  notes: z.array(z.string()).optional(),
});
export type SandboxTier = z.infer<typeof SandboxTier>;
