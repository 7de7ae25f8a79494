import type { ToolInfo } from '@shared/agent-details';
import type { ApprovalMode } from '@shared/states';

type Tone = 'wait' | 'ok' | 'bad' | 'plain';

/** What happens when the model calls a tool, in the mode of its agent. */
export function gateWords(tool: ToolInfo, mode: ApprovalMode): { readonly words: string; readonly tone: Tone } {
  const { gate, kind } = tool;
  if (kind === 'question') return { words: 'asks you a question', tone: 'plain' };
  if (gate[mode] === 'refused') return { words: 'refused in readonly', tone: 'bad' };
  if (gate.tag !== null) return { words: `asks because of ${gate.tag}`, tone: 'wait' };
  if (gate[mode] === 'asks') return { words: mode === 'ask' ? 'asks in ask mode' : 'asks: weak sandbox', tone: 'wait' };
  return tool.dangerous ? { words: 'runs freely', tone: 'bad' } : { words: 'never asks', tone: 'ok' };
}

/** The same for every mode, for whoever chooses another one. */
export function gateInModes({ gate, kind }: ToolInfo): string {
  if (kind === 'question') return 'It asks you, and does nothing else.';
  return `In mode ask it ${words(gate.ask)}, in auto it ${words(gate.auto)}, in readonly it ${words(gate.readonly)}.`;
}

const words = (gate: ToolInfo['gate']['ask']): string => (gate === 'refused' ? 'is refused' : gate);
