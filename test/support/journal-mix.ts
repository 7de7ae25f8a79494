import { randomUUID } from 'node:crypto';
import type { AssistantBlock, EventBody, Usage } from '@shared/events';
import { CallId, RequestId, type RunId, type SessionId } from '@shared/ids';
import type { ApprovalRequest, CallPreview, DisplayToken } from '@shared/requests';
import { type Chance, chanceOf } from './chance';
import { TIER } from './store';

export interface MixedSession {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly agent: string;
  readonly title: string;
}

const TOOLS = ['shell', 'run_command', 'edit_file', 'write_file'];
const PROGRAMS = ['git', 'curl', 'npm', 'make', 'rm', 'docker', 'kubectl', 'terraform', 'psql', 'ssh'];
const USAGE: Usage = { input: 900, output: 90, cacheRead: 0, cacheWrite: 0, costUsd: 0.01 };

/**
 * The events of a session as a busy one has them, without an end: of ten, six or seven only stream, the others are said,
 * asked, decided and run. Outputs are mostly short, some fill screens, and few are as long as outputs can be.
 * @param now the time that requests are asked at, in milliseconds
 */
export function* journalMix(session: MixedSession, random: () => number, now: () => number): Generator<EventBody> {
  const chance = chanceOf(random);
  yield started(session);
  yield { type: 'user_message', text: chance.words(30) };
  for (let turn = 1; ; turn += 1) {
    if (turn % 25 === 0) {
      yield* answer(turn, chance);
      yield { type: 'run_ended', state: 'completed', reason: 'done' };
      yield started(session);
      yield { type: 'user_message', text: chance.words(20) };
    } else yield* oneTurn(session, turn, chance, now);
  }
}

function started({ agent }: MixedSession): EventBody {
  const model = { provider: 'scripted', model: 'scripted' } as const;
  return { type: 'run_started', resumed: false, agent, ...model, workspace: '/ws', mode: 'ask', sandbox: TIER };
}

function* oneTurn(session: MixedSession, turn: number, chance: Chance, now: () => number): Generator<EventBody> {
  const callId = CallId.parse(`call_${turn}`);
  const call = callOf(chance);
  const text = chance.words(15 + Math.floor(60 * chance.number()));
  yield { type: 'run_state', state: 'thinking' };
  yield { type: 'model_started', turn, attempt: 1 };
  if (chance.in(0.2)) yield* stream(turn, 'thinking', chance.words(40), 4);
  // A reply that is long streams for a minute; most are over in a moment.
  yield* stream(turn, 'text', text, chance.in(0.03) ? 150 : 5 + Math.floor(10 * chance.number()));
  yield said(turn, [
    { type: 'text', text },
    { type: 'tool_use', id: callId, name: call.tool, inputText: call.inputText },
  ]);
  if (chance.in(0.4) || call.preview.kind === 'file') {
    const request = requestOf(session, turn, callId, call, chance, now());
    yield { type: 'request_opened', request };
    const outcome = chance.in(0.9) ? 'approved' : 'declined';
    yield {
      type: 'request_settled',
      requestId: request.id,
      callId,
      settlement: { outcome, by: 'operator' },
      afterMs: 5_000,
    };
    if (outcome === 'declined') {
      yield { type: 'tool_denied', turn, callId, tool: call.tool, outcome, reason: chance.words(5) };
      return;
    }
  }
  yield* run(turn, callId, call, chance);
}

function* run(turn: number, callId: CallId, call: Call, chance: Chance): Generator<EventBody> {
  const { tool, preview, command } = call;
  const how = { digest: 'a'.repeat(64), program: null, allowedBy: 'operator' } as const;
  yield { type: 'call_started', turn, callId, tool, preview, command, ...how };
  const output = outputOf(preview, chance);
  if (preview.kind === 'command') {
    const pieces = Math.min(4, Math.ceil(output.length / 16_384));
    for (let piece = 1; piece <= pieces; piece += 1) {
      const [from, to] = [piece - 1, piece].map((end) => Math.floor((output.length * end) / pieces));
      yield { type: 'call_output', callId, text: output.slice(from, to), bytes: to ?? 0 };
    }
  }
  const content =
    preview.kind === 'command'
      ? JSON.stringify({ command: preview.argv, exit_code: chance.in(0.1) ? 1 : 0, output, truncated: false })
      : output;
  yield { type: 'call_result', turn, callId, tool, content, isError: false, durationMs: 1_200 };
}

/** What ends a run: prose with everything in it that has to be set. */
function* answer(turn: number, chance: Chance): Generator<EventBody> {
  const rows = Array.from({ length: 4 }, () => `| ${chance.words(2)} | ${chance.words(4)} |`).join('\n');
  const text = [
    `## ${chance.words(4)}`,
    chance.words(60),
    `- ${chance.words(12)}\n- **${chance.words(3)}** ${chance.words(9)}\n- \`${chance.words(2)}\``,
    `| a | b |\n|---|---|\n${rows}`,
    `\`\`\`ts\nconst ${chance.words(1)} = ${chance.words(1)}(${chance.words(1)});\n\`\`\``,
  ].join('\n\n');
  yield { type: 'model_started', turn, attempt: 1 };
  yield* stream(turn, 'text', text, 30);
  yield said(turn, [{ type: 'text', text }]);
}

function said(turn: number, blocks: AssistantBlock[]): EventBody {
  const stopReason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  return { type: 'assistant_message', turn, blocks, stopReason, usage: USAGE };
}

function* stream(turn: number, kind: 'text' | 'thinking', text: string, pieces: number): Generator<EventBody> {
  for (let piece = 0; piece < pieces; piece += 1) {
    const [from, to] = [piece, piece + 1].map((end) => Math.floor((text.length * end) / pieces));
    yield { type: 'model_delta', turn, attempt: 1, kind, text: text.slice(from, to) };
  }
}

interface Call {
  readonly tool: string;
  readonly inputText: string;
  readonly preview: CallPreview;
  readonly command: DisplayToken[];
}

function callOf(chance: Chance): Call {
  const tool = chance.pick(TOOLS);
  const path = `src/${chance.words(1)}/${chance.words(1)}.ts`;
  if (tool === 'edit_file' || tool === 'write_file') {
    const runs = 2 + Math.floor(8 * chance.number());
    const lines = Array.from({ length: runs }, (_, run) => linesOf([' ', '-', '+'][run % 3] ?? ' ', chance)).flat();
    const diff = `@@ -1,${lines.length} +1,${lines.length} @@\n${lines.join('')}`;
    const size = { created: false, added: lines.length, removed: 1, omittedLines: 0, bytesAfter: 2_000 };
    const inputText = JSON.stringify({ path, oldString: chance.words(20), newString: chance.words(20) });
    return { tool, inputText, preview: { kind: 'file', path, diff, ...size }, command: tokens([tool, path]) };
  }
  const argv = [chance.pick(PROGRAMS), ...chance.words(4).split(' ')];
  const how = { cwd: '/ws', environment: ['PATH'], timeoutMs: 300_000, shell: tool === 'shell' };
  const preview: CallPreview = { kind: 'command', argv, program: `/usr/bin/${argv[0]}`, ...how };
  return { tool, inputText: JSON.stringify({ argv }), preview, command: tokens(argv) };
}

function linesOf(sign: string, chance: Chance): string[] {
  return Array.from({ length: 1 + Math.floor(8 * chance.number()) }, () => `${sign}${chance.words(6)}\n`);
}

function tokens(words: readonly string[]): DisplayToken[] {
  return words.map((text) => ({ segments: [{ text, escape: false }], warnings: [] }));
}

function requestOf(
  { sessionId, runId, agent, title }: MixedSession,
  turn: number,
  callId: CallId,
  { tool, preview, command }: Call,
  chance: Chance,
  now: number,
): ApprovalRequest {
  return {
    id: RequestId.parse(randomUUID()),
    sessionId,
    runId,
    callId,
    agent,
    sessionTitle: title,
    turn,
    tool,
    createdAt: now,
    expiresAt: now + 120_000,
    digest: 'a'.repeat(64),
    kind: 'approval',
    preview,
    command,
    cwd: '/ws',
    gatedBy: { because: 'mode', mode: 'ask' },
    sandbox: TIER,
    labels: chance.in(0.3) ? [{ id: 'network', text: 'reaches the network', severity: 'medium' }] : [],
    remember: [],
    changed: null,
  };
}

/** Of a hundred commands seventy print a few lines, twenty-five some screens, and five as much as is kept. */
function outputOf(preview: CallPreview, chance: Chance): string {
  if (preview.kind !== 'command') return chance.words(8);
  const part = chance.number();
  const size = part < 0.7 ? 200 + 1_500 * chance.number() : part < 0.95 ? 2_000 + 14_000 * chance.number() : 65_000;
  const line = `${chance.words(12)}\n`;
  return line.repeat(Math.ceil(size / line.length)).slice(0, Math.floor(size));
}
