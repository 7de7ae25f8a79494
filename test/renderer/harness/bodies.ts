import { sandbox, token } from './world';

const usage = { input: 1200, output: 80, cacheRead: 0, cacheWrite: 0, costUsd: 0.01 };

export const started = (more: Record<string, unknown> = {}) => ({
  type: 'run_started',
  resumed: false,
  agent: 'release-bot',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  workspace: '/home/ada/src/app',
  mode: 'ask',
  sandbox,
  ...more,
});

export const said = (turn: number, ...blocks: readonly Record<string, unknown>[]) => ({
  type: 'assistant_message',
  turn,
  blocks,
  stopReason: blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
  usage,
});

export const text = (words: string) => ({ type: 'text', text: words });
export const use = (id: string, name: string, input: unknown) => ({
  type: 'tool_use',
  id,
  name,
  inputText: JSON.stringify(input),
});

export function run(turn: number, callId: string, argv: readonly string[], allowedBy = 'ungated') {
  return {
    type: 'call_started',
    turn,
    callId,
    tool: 'run_command',
    preview: {
      kind: 'command',
      argv,
      cwd: '/home/ada/src/app',
      program: `/usr/bin/${argv[0]}`,
      environment: ['PATH'],
      timeoutMs: 300_000,
      shell: false,
    },
    command: argv.map((word) => token(word)),
    allowedBy,
    digest: 'c'.repeat(64),
    program: `/usr/bin/${argv[0]}`,
  };
}

export function calls(turn: number, callId: string, tool: string, rows: Record<string, string>) {
  return {
    type: 'call_started',
    turn,
    callId,
    tool,
    preview: { kind: 'arguments', rows: Object.entries(rows).map(([name, value]) => ({ name, value })) },
    command: [tool, ...Object.values(rows)].map((word) => token(word)),
    allowedBy: 'ungated',
    digest: 'c'.repeat(64),
    program: null,
  };
}

export const result = (
  turn: number,
  callId: string,
  tool: string,
  content: unknown,
  durationMs: number,
  isError = false,
) => ({
  type: 'call_result',
  turn,
  callId,
  tool,
  content: typeof content === 'string' ? content : JSON.stringify(content),
  isError,
  durationMs,
});

export const ran = (turn: number, callId: string, command: string, output: string, durationMs: number, exit = 0) =>
  result(turn, callId, 'run_command', { command, exit_code: exit, output, truncated: false }, durationMs);

export function settled(requestId: string, callId: string, settlement: Record<string, unknown>, afterMs: number) {
  return { type: 'request_settled', requestId, callId, settlement, afterMs };
}
