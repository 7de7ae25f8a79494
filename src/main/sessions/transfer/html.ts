import type { JournalEvent } from '@shared/events';
import type { DisplayToken } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import { type Entry, entriesOf } from './entry';
import { HTML_STYLE } from './html-style';
import { visibleText } from './visible';

/**
 * The head of a page that needs nothing but itself: no script, no image, no address. Its policy allows its own style and
 * nothing else, should something have slipped through the escaping after all.
 */
export function htmlStart(session: SessionSummary): string {
  const { title, agent, model, mode, workspace, state, turns, tokens, costUsd, createdAt } = session;
  const facts = [
    agent,
    model,
    `mode ${mode}`,
    workspace,
    state,
    `${turns} turns`,
    `${tokens} tokens`,
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`]),
    `begun ${time(createdAt)}`,
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
<header><h1>${escaped(title)}</h1><p>${facts.map((fact) => `<span>${escaped(fact)}</span>`).join('')}</p></header>
<main>
`;
}

/** One event, or nothing where there is nothing to read of it. */
export function htmlEntry({ at, body }: JournalEvent): string {
  return entriesOf(body)
    .map((entry) => article(entry, at))
    .join('');
}

export function htmlEnd(): string {
  return '</main>\n</body>\n</html>\n';
}

function article({ tone, who, note, prose, command, output, facts = [] }: Entry, at: number): string {
  return [
    `<article class="${tone}"><h2>${escaped(who)}</h2><div>`,
    `<p class="note">${escaped(note)} <time datetime="${new Date(at).toISOString()}">${time(at)}</time></p>`,
    prose === undefined || prose.trim() === '' ? '' : `<div class="prose">${escaped(prose)}</div>`,
    command === undefined ? '' : `<ol class="command">${command.map(row).join('')}</ol>`,
    facts.length === 0 ? '' : `<ul>${facts.map((fact) => `<li>${escaped(fact)}</li>`).join('')}</ul>`,
    output === undefined || output === '' ? '' : outputBlock(output),
    '</div></article>\n',
  ].join('');
}

/** Long output is folded by the page itself, without a script. */
function outputBlock(output: string): string {
  const lines = output.split('\n').length;
  const block = `<pre>${escaped(output)}</pre>`;
  return lines <= 20 ? block : `<details><summary>${lines} lines</summary>${block}</details>`;
}

function row(token: DisplayToken): string {
  const segments = token.segments.map(({ text, escape: isEscape }) =>
    isEscape ? `<b>${escaped(text)}</b>` : escaped(text),
  );
  return `<li>${segments.join('')}</li>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return visibleText(text).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? '');
}

function time(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19);
}
