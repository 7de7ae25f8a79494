import type { JournalEvent } from '@shared/events';
import type { SessionSummary } from '@shared/sessions';
import { type Entry, entriesOf } from './entry';
import { visibleText } from './visible';

/** The head of an exported session. */
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

/** One event, or nothing where there is nothing to read of it. */
export function markdownEntry({ at, body }: JournalEvent): string {
  return entriesOf(body)
    .map((entry) => `${entryText(entry, at)}\n`)
    .join('');
}

function entryText({ who, note, prose, command, output, facts = [] }: Entry, at: number): string {
  const parts = [`**${line(who)}**${note === '' ? '' : ` ${line(note)}`} _${time(at)}_`, ''];
  if (prose !== undefined && prose.trim() !== '') parts.push(quote(prose), '');
  if (command !== undefined) {
    const rows = command.map((token) => token.segments.map((segment) => segment.text).join(''));
    parts.push(fence(rows.join('\n')), '');
  }
  if (facts.length > 0) parts.push(...facts.map((fact) => `- ${line(fact)}`), '');
  if (output !== undefined && output !== '') parts.push(fence(output), '');
  return parts.join('\n');
}

/** One line in which nothing is taken for markup. */
function line(text: string): string {
  return visibleText(text)
    .replace(/\s+/gu, ' ')
    .replace(/[\\`*_{}[\]<>#|!]/gu, '\\$&');
}

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks} ${visibleText(text).replace(/\s+/gu, ' ')} ${ticks}`;
}

/** A block that nothing in it can close. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}text\n${visibleText(text)}\n${ticks}`;
}

/** Prose is Markdown already; it is quoted, so that it stays where it is, and its HTML is shown, not meant. */
function quote(text: string): string {
  let fenced = false;
  return visibleText(text)
    .split('\n')
    .map((row) => {
      if (/^\s*(?:```|~~~)/u.test(row)) fenced = !fenced;
      return `> ${fenced ? row : row.replaceAll('<', '&lt;')}`;
    })
    .join('\n');
}

function time(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19);
}
