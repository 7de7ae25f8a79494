import { type AppInfo, type BridgeMethod, bridge, Push, type SaysoBridge } from '../../../src/shared/bridge';
import type { JournalEvent } from '../../../src/shared/events';
import type { Request } from '../../../src/shared/requests';
import type { World } from './world';

type Handlers = { [M in BridgeMethod]?: (input: never) => Outcome };
interface Outcome {
  readonly ok: boolean;
  readonly value?: unknown;
}
const ok = (value: unknown) => ({ ok: true, value });
const refused = (message: string, remedy: string) => ({ ok: false, error: { code: 'refused', message, remedy } });

/** Stands in for the main process: answers from a world of fixtures, through the contract's own schemas. */
export class FakeMain {
  private listeners: ((push: unknown) => void)[] = [];
  readonly answers: unknown[] = [];

  constructor(readonly world: World) {}

  push(push: unknown): void {
    const checked = Push.parse(push);
    for (const listener of this.listeners) listener(checked);
  }

  pushInbox(requests: readonly Request[]): void {
    this.world.requests = [...requests];
    this.push({ type: 'inbox', requests: this.world.requests });
  }

  pushEvents(events: readonly JournalEvent[]): void {
    for (const event of events) this.world.events.push(event);
    this.push({ type: 'events', events });
  }

  bridge(): SaysoBridge {
    const methods = Object.fromEntries(
      (Object.keys(bridge) as BridgeMethod[]).map((method) => [
        method,
        async (input: unknown) => {
          const parsed = bridge[method].input.safeParse(input);
          if (!parsed.success) return { ok: false, error: { code: 'invalid-input', message: parsed.error.message } };
          const handler = (this.handlers as Partial<Record<string, (input: unknown) => Outcome>>)[method];
          if (handler === undefined) return refused('The harness does not know this.', 'Teach it.');
          const result = handler(parsed.data);
          if (result.ok) bridge[method].output.parse(result.value);
          return structuredClone(result);
        },
      ]),
    );
    const onPush: SaysoBridge['onPush'] = (listener) => {
      this.listeners.push(listener);
      return () => {
        this.listeners = this.listeners.filter((one) => one !== listener);
      };
    };
    return { ...methods, onPush } as unknown as SaysoBridge;
  }

  private readonly handlers = {
    getAppInfo: () => ok(this.world.info satisfies AppInfo),
    listSessions: (input: { query: string; limit: number; after: string | null }) => {
      const all = this.world.sessions
        .filter((session) => `${session.title} ${session.agent}`.toLowerCase().includes(input.query.toLowerCase()))
        .sort((a, b) => b.updatedAt - a.updatedAt);
      const start = input.after === null ? 0 : all.findIndex((session) => session.id === input.after) + 1;
      return ok({ sessions: all.slice(start, start + input.limit), hasMore: start + input.limit < all.length });
    },
    getSession: (input: { sessionId: string }) => {
      const session = this.world.sessions.find(({ id }) => id === input.sessionId);
      const grants = this.world.grants.filter((grant) => grant.sessionId === input.sessionId);
      return session === undefined ? refused('There is no such session.', '') : ok({ session, grants });
    },
    readEvents: (input: { sessionId: string; from: { at: string; seq?: number }; limit: number }) => {
      const all = this.world.events.filter((event) => event.sessionId === input.sessionId);
      const { at, seq = 0 } = input.from;
      if (at === 'after') {
        const rest = all.filter((event) => event.seq > seq);
        return ok({ events: rest.slice(0, input.limit), hasMore: rest.length > input.limit });
      }
      const before = at === 'end' ? all : all.filter((event) => event.seq < seq);
      return ok({ events: before.slice(-input.limit), hasMore: before.length > input.limit });
    },
    getRunSandbox: (input: { sessionId: string; seq: number | null }) => {
      const started = this.world.events.findLast(
        ({ sessionId, seq, body }) =>
          sessionId === input.sessionId && seq <= (input.seq ?? seq) && body.type === 'run_started',
      );
      return ok({ sandbox: started?.body.type === 'run_started' ? started.body.sandbox : null });
    },
    watchSessions: () => ok({}),
    listAgents: () => ok({ agents: this.world.agents }),
    getAgent: (input: { agentId: string }) => {
      const agent = this.world.agents.find(({ id }) => id === input.agentId);
      return agent === undefined ? refused('This agent is not there any more.', '') : ok({ agent, details: null });
    },
    tryTool: () => ok({ ok: false, error: 'There are no tools here.' }),
    openAgentFile: () => ok({ agent: null }),
    chooseWorkspace: () => ok({ path: '/home/ada/src/chosen' }),
    startRun: () => refused('The folder /home/ada/src/gone does not exist.', 'Choose a folder that exists.'),
    startDemo: () =>
      refused('The demo could not be started: the data folder is full.', 'Free some space and try again.'),
    stopRun: () => ok({}),
    sendMessage: () => ok({}),
    resumeSession: () => ok({}),
    listRequests: () => ok({ requests: this.world.requests }),
    answerRequest: (input: { requestId: string; answer: unknown }) => {
      this.answers.push(input.answer);
      if (this.world.refuseAnswers) {
        return refused('This request was settled already: it expired.', 'Nothing ran. The agent was told.');
      }
      setTimeout(() => this.pushInbox(this.world.requests.filter(({ id }) => id !== input.requestId)), 30);
      return ok({});
    },
    readOriginalOutput: () => ok({ text: null }),
    verifyAudit: () => ok({ ok: true, rows: 42 }),
    exportAudit: () => ok({ path: null, rows: 0 }),
    previewGrant: (input: { scope: string }) => {
      const request = this.world.requests[0];
      const command = request?.kind === 'approval' ? request.command : [];
      const labels = request?.kind === 'approval' ? request.labels : [];
      if (input.scope === 'exact') return ok({ covered: 0, risky: 0, examples: [] });
      const examples = [
        { seq: 1, command, labels },
        { seq: 2, command: command.slice(0, 2), labels: [] },
      ];
      return ok({ covered: 7, risky: 1, examples });
    },
    revokeGrant: (input: { grantId: string }) => {
      const grant = this.world.grants.find(({ id }) => id === input.grantId);
      this.world.grants = this.world.grants.filter(({ id }) => id !== input.grantId);
      if (grant !== undefined) {
        const grants = this.world.grants.filter(({ sessionId }) => sessionId === grant.sessionId);
        this.push({ type: 'grants', sessionId: grant.sessionId, grants });
      }
      return ok({});
    },
    getSettings: () => ok({ settings: this.world.settings, key: this.world.key }),
    saveSettings: (input: { settings: World['settings'] }) => {
      this.world.settings = input.settings;
      return ok({});
    },
    setApiKey: (input: { key: string | null }) => {
      this.world.key = { ...this.world.key, source: input.key === null ? 'none' : 'memory' };
      return ok({ key: this.world.key });
    },
  } satisfies Handlers;
}
