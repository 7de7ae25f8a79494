import type { DisplayToken } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import type { Block, EntryBlock } from './blocks';
import type { CallBlock } from './call-block';
import { tookWords } from './call-words';
import type { Mark, Tone } from './entry';
import { HTML_STYLE } from './html-style';
import { escaped, prose } from './html-text';

const SIGNS: Readonly<Record<Tone, string>> = { plain: '–', ok: '✓', bad: '✕', wait: '!', stop: '■' };

const STATES: Readonly<Record<string, Tone>> = { completed: 'ok', failed: 'bad' };

/**
 * The head of a page that needs nothing but itself: no script, no image, no address. Its policy allows its own style and
 * nothing else, should something have slipped through the escaping after all.
 */
export function htmlStart(session: SessionSummary): string {
  const { title, agent, model, mode, workspace, state, turns, tokens, costUsd, createdAt } = session;
  const facts = [
    agent,
    model,
    workspace,
    `mode ${mode}`,
    `${turns} turns`,
    `${tokens.toLocaleString('en')} tokens`,
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`]),
    `${tookWords(session.workingMs)} of work`,
    `${session.approved} approved, ${session.denied} denied`,
    `begun ${new Date(createdAt).toISOString().replace('T', ' ').slice(0, 16)} UTC`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${HTML_STYLE}</style>
</head>
<body>
<header><h1>${escaped(title)}</h1><p>${chip({ tone: STATES[state] ?? 'stop', words: state })}${facts
    .map((fact) => `<span>${escaped(fact)}</span>`)
    .join('')}</p></header>
<main>
`;
}

export function htmlBlock(block: Block): string {
  return `${block.kind === 'call' ? call(block) : entry(block)}\n`;
}

export function htmlEnd(): string {
  return '</main>\n</body>\n</html>\n';
}

function entry({ is, tone, words, prose: text, at }: EntryBlock): string {
  switch (is) {
    case 'you':
      return `<article class="msg you"><h2>You</h2><div class="text">${escaped(text)}</div>${time(at)}</article>`;
    case 'agent':
      return text.trim() === ''
        ? ''
        : `<article class="msg"><h2>Agent</h2><div class="text">${prose(text)}</div>${time(at)}</article>`;
    case 'thinking':
      return text.trim() === ''
        ? ''
        : `<details class="aside"><summary>${escaped(words)}</summary><div class="text">${escaped(text)}</div></details>`;
    case 'line':
      return `<p class="line ${tone}">${escaped(words)}</p>`;
    case 'run-started':
      return `<p class="rule"><span>${escaped(words)} ${time(at)}</span></p>`;
    case 'run-ended': {
      const reason = text === 'done' ? '' : ` <span>${escaped(text)}</span>`;
      return `<p class="run-end ${tone}"><b>${SIGNS[tone]} ${escaped(words)}</b>${reason}${time(at)}</p>`;
    }
  }
}

/** Folded by the page itself, without a script; what changed a file is open, as in the timeline. */
function call(block: CallBlock): string {
  const { tool, tone, marks, question, facts, diff, outputs, durationMs, command } = block;
  const inside = [
    question === null ? '' : `<div class="text">${escaped(question)}</div>`,
    command.length > 1 ? `<ol class="command">${command.map(row).join('')}</ol>` : '',
    facts.length === 0 ? '' : `<ul>${facts.map((fact) => `<li>${escaped(fact)}</li>`).join('')}</ul>`,
    diff === null || diff === '' ? '' : `<pre class="diff">${diff.split('\n').map(diffLine).join('')}</pre>`,
    ...outputs.map(output),
  ].join('');
  const took = durationMs === null ? '' : tookWords(durationMs);
  const open = question !== null || (diff !== null && tone === 'ok') ? ' open' : '';
  return `<details class="tool ${tone}"${open}><summary><i class="sign ${tone}">${SIGNS[tone]}</i><b>${escaped(
    tool,
  )}</b><code>${target(block)}</code><span class="chips">${marks.map(chip).join('')}</span><small>${took}</small></summary><div class="detail">${inside}</div></details>`;
}

/** What the call is about, in one line. */
function target({ preview, command, question, inputText }: CallBlock): string {
  if (question !== null) return escaped(question);
  const tokens = preview === 'command' ? command : command.slice(1);
  if (tokens.length === 0) return escaped(inputText.slice(0, 300));
  return tokens.map(segments).join(' ');
}

function chip({ tone, words }: Mark): string {
  return `<span class="chip ${tone}">${escaped(words)}</span>`;
}

function row(token: DisplayToken): string {
  return `<li>${segments(token)}</li>`;
}

function segments(token: DisplayToken): string {
  return token.segments
    .map(({ text, escape: isEscape }) => (isEscape ? `<b>${escaped(text)}</b>` : escaped(text)))
    .join('');
}

function diffLine(line: string): string {
  const kind = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : line.startsWith('@@') ? 'place' : '';
  return `<span class="${kind}">${escaped(line)}\n</span>`;
}

function output({ note, text }: CallBlock['outputs'][number]): string {
  return `${note === '' ? '' : `<p class="note">${escaped(note)}</p>`}${text === '' ? '' : `<pre>${escaped(text)}</pre>`}`;
}

function time(at: number): string {
  const iso = new Date(at).toISOString();
  return `<time datetime="${iso}" title="${iso}">${iso.slice(11, 16)}</time>`;
}
