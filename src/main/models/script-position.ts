import type { ConversationMessage, ToolResultMessage } from './model';
import { ModelError } from './model';
import type { Condition, Script, ScriptTurn } from './script';

/** What has come in since the scripted agent spoke last. */
export interface Heard {
  readonly results: readonly (ToolResultMessage & { readonly tool: string })[];
  readonly message: string;
}

/** `section` is null in the script's own turns. */
interface Position {
  readonly section: string | null;
  readonly index: number;
}

const OVER: ScriptTurn = { say: 'My script is over: I have nothing more to do. Start another run to see it again.' };
/** Far more jumps than any sensible script makes before one turn. */
const MAX_JUMPS = 100;

/** The result as a JSON object, or null. */
export function fieldsOf(content: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function resultFits(condition: Condition, result: Heard['results'][number]): boolean {
  const fields = fieldsOf(result.content);
  if (condition.tool !== undefined && condition.tool !== result.tool) return false;
  if (condition.error !== undefined && condition.error !== result.isError) return false;
  if (condition.contains !== undefined && !result.content.includes(condition.contains)) return false;
  if (condition.denied !== undefined) {
    if (fields?.allowed !== false) return false;
    if (condition.denied !== 'any' && fields.outcome !== condition.denied) return false;
  }
  return Object.entries(condition.fields ?? {}).every(([key, value]) => fields?.[key] === value);
}

/** Whether a branch is taken. */
export function fits(condition: Condition, heard: Heard): boolean {
  const { message, ...ofResult } = condition;
  if (message !== undefined && !heard.message.toLowerCase().includes(message.toLowerCase())) return false;
  if (Object.values(ofResult).every((value) => value === undefined)) return true;
  return heard.results.some((result) => resultFits(condition, result));
}

/** The turn that is due at a position, and the position after it. */
function takeTurn(
  script: Script,
  from: Position,
  heard: Heard,
): { readonly turn: ScriptTurn; readonly next: Position } {
  let at = from;
  for (let jumps = 0; jumps < MAX_JUMPS; jumps += 1) {
    const turns = at.section === null ? script.turns : (script.sections[at.section] ?? []);
    const turn = turns[at.index];
    if (turn === undefined) {
      if (!Object.hasOwn(script.sections, 'end')) return { turn: OVER, next: at };
      at = { section: 'end', index: 0 };
      continue;
    }
    const branch = turn.branch?.find(({ when }) => fits(when, heard));
    if (branch !== undefined) {
      at = { section: branch.to, index: 0 };
      continue;
    }
    const next = turn.next === undefined ? { ...at, index: at.index + 1 } : { section: turn.next, index: 0 };
    return { turn, next };
  }
  throw new ModelError('the script goes round in circles: its branches lead to one another');
}

export interface DueTurn {
  readonly turn: ScriptTurn;
  readonly heard: Heard;
  /** How many times the scripted agent has spoken in this session. */
  readonly spoken: number;
}

/**
 * The turn that a conversation has come to. Nothing is kept between turns: the script is followed from its beginning
 * along what was said, so that a session resumed in another process goes on where it was.
 * @throws ModelError when the script's branches never reach a turn
 */
export function dueTurn(script: Script, conversation: readonly ConversationMessage[]): DueTurn {
  const tools = new Map<string, string>();
  let at: Position = { section: null, index: 0 };
  let heard: Heard = { results: [], message: '' };
  let spoken = 0;
  for (const message of conversation) {
    if (message.role === 'user') {
      heard = { ...heard, message: `${heard.message}\n${message.text}`.trim() };
    } else if (message.role === 'results') {
      const named = message.results.map((result) => ({ ...result, tool: tools.get(result.callId) ?? '' }));
      heard = { ...heard, results: [...heard.results, ...named] };
    } else {
      at = takeTurn(script, at, heard).next;
      heard = { results: [], message: '' };
      spoken += 1;
      for (const block of message.blocks) if (block.type === 'tool_use') tools.set(block.id, block.name);
    }
  }
  return { turn: takeTurn(script, at, heard).turn, heard, spoken };
}
