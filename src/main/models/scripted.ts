import { setTimeout as wait } from 'node:timers/promises';
import type { AssistantBlock, StopReason } from '@shared/events';
import { CallId } from '@shared/ids';
import { type LanguageModel, ModelError, type ModelProgress, type ModelReply, type ModelRequest } from './model';
import type { Script, ScriptTurn } from './script';
import { dueTurn, fieldsOf, type Heard } from './script-position';

export interface ScriptedOptions {
  readonly script: Script;
  readonly name?: string;
  /** In place of the script's own pace, in milliseconds. */
  readonly paceMs?: number;
}

/** A model that says what its script says: offline, free, and the same every time. */
export class ScriptedModel implements LanguageModel {
  readonly provider = 'scripted';
  readonly name: string;
  readonly #script: Script;
  readonly #paceMs: number;

  constructor({ script, name = 'scripted', paceMs = script.pace }: ScriptedOptions) {
    this.name = name;
    this.#script = script;
    this.#paceMs = paceMs;
  }

  async reply(
    request: ModelRequest,
    onProgress: (progress: ModelProgress) => void,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    signal.throwIfAborted();
    const { turn, heard, spoken } = dueTurn(this.#script, request.messages);
    onProgress({ type: 'attempt', attempt: 1 });
    await pause(turn.wait ?? 0, signal);
    if (turn.fail !== undefined) throw new ModelError(turn.fail);

    const blocks = blocksOf(turn, heard, spoken);
    for (const block of blocks) {
      if (block.type !== 'text' && block.type !== 'thinking') continue;
      for (const word of block.text.match(/\S+\s*|\s+/g) ?? []) {
        await pause(this.#paceMs, signal);
        onProgress({ type: 'delta', kind: block.type, text: word });
      }
    }
    const usage = usageOf(request, blocks);
    return { blocks, stopReason: stopReasonOf(turn), usage, conversationTokens: usage.input + usage.output };
  }

  async contextTokens(): Promise<number> {
    return Number.POSITIVE_INFINITY;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await wait(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}

function stopReasonOf(turn: ScriptTurn): StopReason {
  return turn.stop ?? (turn.calls === undefined ? 'end_turn' : 'tool_use');
}

/** What the last result that gave a reason gave as its reason, or nothing. */
function reasonIn(heard: Heard): string {
  const reasons = heard.results.map((result) => fieldsOf(result.content)?.reason);
  return reasons.filter((reason): reason is string => typeof reason === 'string').at(-1) ?? '';
}

function blocksOf(turn: ScriptTurn, heard: Heard, spoken: number): AssistantBlock[] {
  const blocks: AssistantBlock[] = [];
  if (turn.think !== undefined) blocks.push({ type: 'thinking', text: turn.think, signature: '' });
  if (turn.say !== undefined) {
    blocks.push({ type: 'text', text: turn.say.trim().replaceAll('{{reason}}', () => reasonIn(heard)) });
  }
  for (const [index, call] of (turn.calls ?? []).entries()) {
    blocks.push({
      type: 'tool_use',
      // The same whenever the same point of the same session is reached, and never twice in one session.
      id: CallId.parse(`call_${spoken + 1}_${index + 1}`),
      name: call.tool,
      inputText: call.inputText ?? JSON.stringify(call.input ?? {}),
    });
  }
  return blocks;
}

/** About four characters a token, as with real text, so that limits and counters have something to count. */
const tokensIn = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);

function usageOf(request: ModelRequest, blocks: readonly AssistantBlock[]): ModelReply['usage'] {
  const { system, tools, messages } = request;
  return {
    input: tokensIn({ system, tools, messages }),
    output: tokensIn(blocks),
    cacheRead: 0,
    cacheWrite: 0,
    costUsd: 0,
  };
}
