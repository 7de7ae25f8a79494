import { randomUUID } from 'node:crypto';
import { SessionId } from '@shared/ids';
import type { SessionSummary } from '@shared/sessions';
import { describe, expect, it } from 'vitest';
import { exportName } from '../../../src/main/desktop/export-name';
import type { Block } from '../../../src/main/sessions/transfer/blocks';
import { htmlBlock, htmlStart } from '../../../src/main/sessions/transfer/html';
import { markdownBlock, markdownStart } from '../../../src/main/sessions/transfer/markdown';
import { Redacted } from '../../../src/main/sessions/transfer/redacted';
import { createRedactor } from '../../../src/main/tools/redaction/redactor';

// No secret: made up for this test.
const S = 'a-value-of-the-app-9f2c';
const known = [{ name: 'value of A_TOKEN', value: S }];
const redacted = new Redacted(createRedactor({ known }));

/** Whatever is free text in a session holds the secret. The types see to it that a field that is new stands here, too. */
const SESSION: SessionSummary = {
  id: SessionId.parse(randomUUID()),
  title: S,
  agentId: S,
  agent: S,
  provider: 'scripted',
  model: S,
  workspace: S,
  mode: 'ask',
  state: 'completed',
  detail: S,
  createdAt: 1,
  updatedAt: 1,
  turns: 1,
  tokens: 1,
  costUsd: null,
  workingMs: 1,
  waitingMs: 1,
  approved: 0,
  denied: 0,
  openRequests: 0,
  nextExpiryAt: null,
  pinned: false,
  origin: { kind: 'fork', sessionId: SessionId.parse(randomUUID()), title: S, seq: null },
};

const CALL: Block = {
  kind: 'call',
  at: 1,
  tool: S,
  tone: 'ok',
  marks: [{ tone: 'ok', words: S }],
  command: [
    { segments: [{ text: S, escape: false }], warnings: [] },
    // In two parts, as it is where something in its middle is shown as an escape.
    { segments: ['a-value-of', '-the-app-9f2c'].map((text) => ({ text, escape: false })), warnings: [] },
  ],
  preview: 'arguments',
  inputText: S,
  question: S,
  facts: [S],
  diff: `+${S}`,
  outputs: [{ note: S, text: S }],
  durationMs: 1,
  started: true,
  ranAgain: null,
  over: true,
};
const BLOCKS: readonly Block[] = [
  CALL,
  { ...CALL, question: null, command: [] },
  ...(['you', 'agent', 'thinking', 'line', 'run-started', 'run-ended'] as const).map(
    (is): Block => ({ kind: 'entry', is, tone: 'plain', at: 1, words: S, prose: S }),
  ),
];

describe('an exported page', () => {
  it.each([
    ['HTML', htmlStart, htmlBlock],
    ['Markdown', markdownStart, markdownBlock],
  ])('as %s shows a secret in none of its places', (_name, start, block) => {
    const before = [start(SESSION), ...BLOCKS.map(block)].join('');
    expect(before.split(S).length).toBeGreaterThan(15);
    const after = [start(redacted.session(SESSION)), ...BLOCKS.map((one) => block(redacted.block(one)))].join('');
    expect(after).not.toContain(S);
    expect(after).not.toContain('-the-app-9f2c');
  });
});

describe('the name that an export is proposed', () => {
  it('is the title, without the secrets in it, whatever the format', () => {
    for (const format of ['jsonl', 'markdown', 'html'] as const) {
      const name = exportName(`Log in with ${S} now`, format, known);
      expect(name).toMatch(/^Log in with .* now\.(jsonl|md|html)$/);
      expect(name).not.toContain(S);
      expect(name).toContain('value of A_TOKEN');
    }
    const shaped = `ghp_${'R4nd0mLooking'.repeat(3).slice(0, 36)}`;
    expect(exportName(shaped, 'html', [])).not.toContain('R4nd0mLooking');
  });

  it.each([
    ['Tidy the changelog', 'Tidy the changelog.md'],
    ['../../etc/passwd', 'etc passwd.md'],
    ['...', 'session.md'],
    ['a/b\\c:d*e?f"g<h>i|j\u202ek', 'a b c d e f g h i j k.md'],
    ['x'.repeat(200), `${'x'.repeat(60)}.md`],
  ])('of %j is %s', (title, name) => expect(exportName(title, 'markdown', [])).toBe(name));
});
