import type { EventBody } from '@shared/events';
import { z } from 'zod';
import type { LanguageModel } from '../../src/main/models/model';
import { Script } from '../../src/main/models/script';
import { ScriptedModel } from '../../src/main/models/scripted';
import { conversationOf } from '../../src/main/runs/conversation';
import { LiveOriginals } from '../../src/main/runs/live-originals';
import { Run } from '../../src/main/runs/run';
import { RunRecord } from '../../src/main/runs/run-record';
import type { RunSettings } from '../../src/main/runs/settings';
import type { RunRef } from '../../src/main/sessions/journal';
import type { KnownSecret } from '../../src/main/tools/redaction/known-values';
import { createRedactor } from '../../src/main/tools/redaction/redactor';
import { type ActionTool, type Tool, type ToolContext, ToolError, type ToolIo } from '../../src/main/tools/tool';
import { type Store, startSession, TIER, wholeJournal } from './store';

/** A dangerous tool for tests: it notes that it ran, and does what the test tells it to. */
export function probe(
  name: string,
  over: Partial<ActionTool> & { readonly run?: (io: ToolIo) => Promise<string> } = {},
) {
  const ran: string[] = [];
  const bound: Record<string, string> = {};
  const { run = async () => 'ok', ...rest } = over;
  const tool: ActionTool = {
    kind: 'action',
    source: 'computer',
    name,
    description: name,
    inputSchema: { type: 'object' },
    tags: [],
    dangerous: true,
    keptBy: 'app',
    prepare: async (inputText) => {
      const input = z.record(z.string(), z.unknown()).safeParse(JSON.parse(inputText));
      if (!input.success || 'wrong' in input.data) throw new ToolError('the arguments are wrong');
      return {
        preview: { kind: 'arguments', rows: [{ name: 'input', value: inputText }] },
        command: [name, inputText],
        cwd: '/ws',
        bound: { ...bound },
        program: null,
        execute: async (io) => {
          ran.push(inputText);
          return { content: await run(io), isError: false };
        },
      };
    },
    ...rest,
  };
  return { tool, ran, bound };
}

export interface RunOptions {
  readonly settings?: Partial<Omit<RunSettings, 'limits'>> & { readonly limits?: Partial<RunSettings['limits']> };
  readonly operator?: boolean;
  readonly ref?: RunRef;
  readonly context?: Partial<ToolContext>;
  readonly secrets?: readonly KnownSecret[];
  /** In place of a scripted model that follows the turns. */
  readonly model?: LanguageModel;
}

/** A real run over a real store, with a scripted model and the tools given. */
export function startRun(store: Store, turns: unknown, tools: readonly Tool[], options: RunOptions = {}) {
  const ref = options.ref ?? startSession(store.journal);
  const session = store.reader.session(ref.sessionId);
  if (session === null) throw new Error('no session');
  const { limits, ...settings } = options.settings ?? {};
  const record = new RunRecord(
    ref,
    store.journal,
    conversationOf(store.reader.conversationEvents(ref.sessionId)),
    session,
  );
  const originals = new LiveOriginals();
  const run = new Run({
    record,
    settings: {
      agentId: 'agent-1',
      agentVersion: 'v1',
      agentName: 'tester',
      systemPrompt: '',
      thinking: false,
      mode: 'ask',
      confirmTags: [],
      approvalTimeoutMs: 60_000,
      ...settings,
      limits: {
        maxTurns: 50,
        maxTokens: 500_000,
        maxCostUsd: null,
        callTimeoutMs: 10_000,
        toolTimeoutMs: 10_000,
        maxOutputTokens: 8_192,
        ...limits,
      },
    },
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    context: {
      workspace: '/ws',
      sandbox: {
        tier: TIER,
        run: () => {
          throw new Error('no process is started here');
        },
        open: () => {
          throw new Error('no process is started here');
        },
      },
      environment: {},
      toolTimeoutMs: limits?.toolTimeoutMs ?? 10_000,
      ...options.context,
    },
    model: options.model ?? new ScriptedModel({ script: Script.parse({ turns }) }),
    inbox: store.inbox,
    grants: store.grants,
    redactor: createRedactor({ known: options.secrets ?? [] }),
    originals,
    hasOperator: () => options.operator ?? true,
  });
  const events = (): EventBody[] => wholeJournal(store, ref.sessionId).map(({ body }) => body);
  return { run, ref, events, originals };
}

/** Waits until the inbox holds `count` requests. */
export function waitForRequests(store: Store, count = 1) {
  return new Promise<ReturnType<typeof store.inbox.open>>((resolve) => {
    const look = () => {
      const open = store.inbox.open();
      if (open.length < count) return;
      stop();
      resolve(open);
    };
    const stop = store.inbox.onChange(look);
    look();
  });
}
