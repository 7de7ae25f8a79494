import type { SessionSummary } from '@shared/sessions';
import type { Block, EntryBlock } from './blocks';
import type { CallBlock } from './call-block';
import { tookWords } from './call-words';
import { code, fence, line, quote } from './markdown-text';

/** The head of an exported session; times are UTC. */
export function markdownStart(session: SessionSummary): string {
  const { title, agent, model, mode, workspace, state, turns, tokens, costUsd, createdAt } = session;
  const spent = `${turns} turns, ${tokens} tokens${costUsd === null ? '' : `, $${costUsd.toFixed(2)}`}`;
  return `# ${line(title)}

- Agent: ${line(agent)} (${line(model)}), approval mode ${mode}
- Workspace: ${code(workspace)}
- Begun: ${time(createdAt)}
- State: ${state}; ${spent}

`;
}

export function markdownBlock(block: Block): string {
  return `${(block.kind === 'call' ? call(block) : entry(block)).join('\n')}\n`;
}

const NAMES = {
  you: 'You',
  agent: 'Agent',
  thinking: '',
  line: '',
  'run-started': '',
  'run-ended': 'Run ended',
} as const;

function entry({ is, words, prose, at }: EntryBlock): string[] {
  const [first = '', ...rest] = [NAMES[is], words].filter((part) => part !== '').map(line);
  const lines = [`**${first}**${rest.map((part) => ` ${part}`).join('')} _${time(at)}_`, ''];
  return prose.trim() === '' ? lines : [...lines, quote(prose), ''];
}

function call({ tool, marks, durationMs, at, ...shown }: CallBlock): string[] {
  const { command, question, facts, diff, outputs, inputText } = shown;
  const took = durationMs === null ? [] : [tookWords(durationMs)];
  const words = [...marks.map((mark) => mark.words), ...took].map(line).join(', ');
  const parts = [`**${line(tool)}**${words === '' ? '' : ` ${words}`} _${time(at)}_`, ''];
  if (question !== null) parts.push(quote(question), '');
  const rows = command.map((token) => token.segments.map((segment) => segment.text).join(''));
  const asked = rows.length > 0 ? rows.join('\n') : question === null ? inputText : '';
  if (asked !== '') parts.push(fence(asked), '');
  if (facts.length > 0) parts.push(...facts.map((fact) => `- ${line(fact)}`), '');
  if (diff !== null && diff !== '') parts.push(fence(diff), '');
  for (const { note, text } of outputs) {
    if (note !== '') parts.push(line(note), '');
    if (text !== '') parts.push(fence(text), '');
  }
  return parts;
}

function time(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19);
}
