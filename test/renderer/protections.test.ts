import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { Kept } from '../../src/renderer/sessions/Kept';
import { HOLD_LOOK, heldBy, keeperOf, PROTECTIONS, protectionWords } from '../../src/renderer/sessions/protections';
import type { CallPreview } from '../../src/shared/requests';
import { KeptBy, type SandboxTier } from '../../src/shared/states';

const tier: SandboxTier = {
  name: 'unshare',
  label: 'unshare',
  files: 'not-enforced',
  network: 'unknown',
  processes: 'enforced',
  privileges: 'enforced',
};

/** The row of facts as it is read aloud, or by a test: no markup. */
function read(keeper: KeptBy | null, sandbox: SandboxTier | null = tier): string {
  const markup = renderToStaticMarkup(createElement(Kept, { keeper, tier: sandbox }));
  return markup.replaceAll(/<span aria-hidden="true">[^<]*<\/span>/g, '').replaceAll(/<[^>]*>/g, '');
}

describe('the protections of a call', () => {
  test('are enforced, not enforced or not known: three signs, three colours, three wordings', () => {
    const looks = [HOLD_LOOK.enforced, HOLD_LOOK['not-enforced'], HOLD_LOOK.unknown];
    for (const part of ['sign', 'words', 'tone'] as const) {
      expect(new Set(looks.map((look) => look[part])).size, part).toBe(3);
    }
    expect(protectionWords('network', tier)).toBe('network: not known, treat it as not enforced');
    const markup = renderToStaticMarkup(createElement(Kept, { keeper: 'sandbox', tier }));
    expect(markup).toMatch(/class="hold bad"[^>]*><span aria-hidden="true">✕<\/span> files/);
    expect(markup).toMatch(/class="hold wait"[^>]*><span aria-hidden="true">\?<\/span> network/);
    expect(markup).toMatch(/class="hold ok"[^>]*><span aria-hidden="true">✓<\/span> processes/);
  });

  test.each([
    ['sandbox', 'the sandbox files not enforced network not known processes enforced privileges enforced'],
    ['server-sandbox', 'the sandbox of its server files not enforced network not known processes enforced'],
    ['file-rules', 'Sayso’s file rules files enforced network, processes, privileges not used'],
    ['web-rules', 'Sayso’s network rules network enforced files, processes, privileges not used'],
    ['app', 'Sayso itself files, network, processes, privileges not used'],
    ['server', 'nobody here: a server at an address files not enforced network not enforced processes not enforced'],
  ] as const)('that is kept by %s are told one by one', (keeper, words) => {
    expect(read(keeper)).toContain(words);
  });

  test('are told for every keeper, each of them once', () => {
    for (const keeper of KeptBy.options) {
      const names = heldBy(keeper, tier)?.held.map(({ name }) => name);
      expect(names, keeper).toEqual([...PROTECTIONS]);
    }
  });

  test('of the sandbox say nothing of calls that it has no part in, whatever it is', () => {
    const open: SandboxTier = { ...tier, files: 'enforced', network: 'not-enforced' };
    for (const keeper of ['file-rules', 'web-rules', 'app', 'server'] as const) {
      expect(read(keeper, open)).toBe(read(keeper, tier));
      expect(read(keeper, null)).toBe(read(keeper, tier));
    }
    expect(read('sandbox', null)).toContain('not on record');
  });

  test('with a list of hosts say how many', () => {
    expect(read('sandbox', { ...tier, network: 'enforced', hosts: ['a.example', 'b.example'] })).toContain(
      'network: 2 hosts enforced',
    );
  });
});

test('who kept a call of an older Sayso is told from what it was, or said not to be on record', () => {
  const path = { path: 'a', created: false, added: 0, removed: 0, diff: '', omittedLines: 0, bytesAfter: 0 };
  const rows: CallPreview = { kind: 'arguments', rows: [] };
  expect(keeperOf(undefined, { kind: 'file', ...path })).toBe('file-rules');
  expect(keeperOf(undefined, { kind: 'delete', path: 'a', folder: false, files: 1, bytes: 1 })).toBe('file-rules');
  expect(keeperOf(undefined, rows)).toBeNull();
  expect(keeperOf('server', rows)).toBe('server');
  expect(read(null)).toContain('not on record');
});
