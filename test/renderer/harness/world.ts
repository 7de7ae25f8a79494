import type { AgentInfo } from '../../../src/shared/agent-file';
import type { AppInfo } from '../../../src/shared/bridge';
import { JournalEvent } from '../../../src/shared/events';
import { type Grant, Request } from '../../../src/shared/requests';
import { SessionSummary } from '../../../src/shared/sessions';
import type { KeyState, Settings } from '../../../src/shared/settings';

/** Everything that the stand-in for the main process knows. */
export interface World {
  info: AppInfo;
  agents: AgentInfo[];
  sessions: SessionSummary[];
  events: JournalEvent[];
  requests: Request[];
  grants: Grant[];
  settings: Settings;
  key: KeyState;
  refuseAnswers: boolean;
}

export const sandbox = {
  name: 'process',
  label: 'process only',
  files: 'not-enforced',
  network: 'not-enforced',
  processes: 'enforced',
  privileges: 'unknown',
} as const;

export const MINUTE = 60_000;

/** The same id for the same number, so that fixtures can refer to each other. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

export function emptyWorld(): World {
  return {
    info: {
      version: '0.1.0',
      platform: 'linux',
      home: '/home/ada/.config/Sayso',
      agentsFolder: '/home/ada/.config/Sayso/agents',
      sandbox,
      rendererSandboxed: false,
      notices: [],
    },
    agents: [
      agent('demo', { provider: 'scripted', model: null, path: null, description: 'Shows how Sayso asks, offline' }),
      agent('release-bot', { description: 'Keeps the changelog honest', workspace: '/home/ada/src/app', mode: 'ask' }),
      agent('ops', {
        description: '',
        problems: [
          { message: 'approvalMode: "sometimes" is no mode: write auto, ask or readonly', line: 12, column: 17 },
          { message: 'applications: not supported yet: remove it', line: 18, column: 1 },
        ],
      }),
    ],
    sessions: [],
    events: [],
    requests: [],
    grants: [],
    settings: { theme: 'system', model: 'claude-sonnet-4-5', retentionDays: null },
    key: {
      source: 'memory',
      canStore: false,
      note: 'This system offers no real encryption, so a key is kept in memory only.',
    },
    refuseAnswers: false,
  };
}

export function agent(name: string, more: Partial<AgentInfo>): AgentInfo {
  return {
    id: `file:${name}`,
    name,
    description: '',
    path: `/home/ada/.config/Sayso/agents/${name}.agent.yaml`,
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    workspace: null,
    mode: null,
    problems: [],
    ...more,
  };
}

export function session(number: number, now: number, more: Record<string, unknown>): SessionSummary {
  return SessionSummary.parse({
    id: uuid(number),
    title: `Session ${number}`,
    agentId: 'file:release-bot',
    agent: 'release-bot',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    workspace: '/home/ada/src/app',
    mode: 'ask',
    state: 'completed',
    detail: '',
    createdAt: now - 10 * MINUTE,
    updatedAt: now - 5 * MINUTE,
    turns: 9,
    tokens: 48_210,
    costUsd: 0.31,
    workingMs: 252_000,
    waitingMs: 0,
    approved: 0,
    denied: 0,
    openRequests: 0,
    nextExpiryAt: null,
    pinned: false,
    origin: null,
    ...more,
  });
}

/** A row of a command: text between ⟦ and ⟧ counts as an escape. */
export function token(text: string, warnings: readonly string[] = []) {
  const segments = text
    .split(/(⟦[^⟧]*⟧)/)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, escape: part.startsWith('⟦') }));
  return { segments, warnings };
}

export function approval(number: number, now: number, more: Record<string, unknown>): Request {
  const command =
    (more.command as { segments: { text: string }[] }[] | undefined) ?? ['git', 'push'].map((t) => token(t));
  const argv = command.map((row) => row.segments.map((segment) => segment.text).join(''));
  return Request.parse({
    kind: 'approval',
    id: uuid(number),
    sessionId: uuid(1),
    runId: uuid(9001),
    callId: `call-${number}`,
    agent: 'release-bot',
    sessionTitle: 'Tidy the changelog',
    turn: 12,
    tool: 'run_command',
    createdAt: now - 78_000,
    expiresAt: now + 42_000,
    digest: 'a'.repeat(64),
    preview: {
      kind: 'command',
      argv,
      cwd: '/home/ada/src/app',
      program: `/usr/bin/${argv[0]}`,
      environment: ['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TERM', 'LLMFORMAT', 'SAYSO'],
      timeoutMs: 300_000,
      shell: false,
    },
    cwd: '/home/ada/src/app',
    gatedBy: { because: 'mode', mode: 'ask' },
    sandbox,
    labels: [],
    remember: [
      { scope: 'exact', covers: 'exactly this command in /home/ada/src/app', broad: false },
      { scope: 'session', covers: 'any git command in this session, whatever its arguments', broad: false },
      { scope: 'agent', covers: 'any git command of release-bot until Sayso quits', broad: true },
    ],
    changed: null,
    ...more,
    command,
  });
}

export function question(number: number, now: number, answer: unknown, more: Record<string, unknown>): Request {
  return Request.parse({
    kind: 'question',
    id: uuid(number),
    sessionId: uuid(2),
    runId: uuid(9002),
    callId: `call-${number}`,
    agent: 'ops',
    sessionTitle: 'Rotate staging keys',
    turn: 3,
    tool: 'ask_human_select',
    createdAt: now - 2_000,
    expiresAt: now + 118_000,
    digest: 'b'.repeat(64),
    question: 'Which region first?',
    answer,
    ...more,
  });
}

/** A journal of one session, built body by body. */
export class Journal {
  readonly events: JournalEvent[] = [];
  private seq: number;

  constructor(
    private readonly sessionNumber: number,
    private at: number,
  ) {
    this.seq = sessionNumber * 1_000_000;
  }

  add(...bodies: readonly Record<string, unknown>[]): this {
    for (const body of bodies) this.events.push(this.next(body));
    return this;
  }

  next(body: Record<string, unknown>): JournalEvent {
    this.seq += 1;
    this.at += 1_000;
    return JournalEvent.parse({
      seq: this.seq,
      sessionId: uuid(this.sessionNumber),
      runId: uuid(9000 + this.sessionNumber),
      at: this.at,
      body,
    });
  }
}
