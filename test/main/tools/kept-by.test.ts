import type { KeptBy } from '@shared/states';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { computerTools, httpTools } from '../../../src/main/tools/registry';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store, TIER } from '../../support/store';

/** As docs/sandbox.md has it: commands in the sandbox, all else in the app, by its own rules. */
const BUILT_IN: Readonly<Record<string, KeptBy>> = {
  list_dir: 'file-rules',
  read_file: 'file-rules',
  search_files: 'file-rules',
  computer_info: 'app',
  fetch_url: 'web-rules',
  write_file: 'file-rules',
  edit_file: 'file-rules',
  move: 'file-rules',
  delete: 'file-rules',
  run_command: 'sandbox',
  shell: 'sandbox',
  http_request: 'web-rules',
};

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

describe('what keeps a call within bounds', () => {
  it('is said by every built-in tool', () => {
    const said = [...computerTools(), ...httpTools()].map(({ name, keptBy }) => [name, keptBy]);
    expect(Object.fromEntries(said)).toEqual(BUILT_IN);
  });

  it('stands on the request, in the audit, and with the start of the call', async () => {
    const { tool } = probe('tool', { keptBy: 'server' });
    const { run, events } = startRun(store, [{ calls: [{ tool: 'tool', input: {} }] }, { say: 'Over.' }], [tool]);
    const [request] = await waitForRequests(store);
    if (request?.kind !== 'approval') throw new Error('no approval');
    expect(request).toMatchObject({ keptBy: 'server', sandbox: TIER });
    store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null });
    await run.ended;
    expect(events().find(({ type }) => type === 'call_started')).toMatchObject({ keptBy: 'server' });
    const lines: string[] = [];
    for await (const line of store.audit.exportLines()) lines.push(line);
    expect(JSON.parse(lines[0] ?? '{}').body.shown).toMatchObject({ keptBy: 'server', sandbox: TIER });
  });

  it('stands with the start of a call that nobody was asked about, too', async () => {
    const { tool } = probe('tool', { keptBy: 'web-rules', dangerous: false });
    const { run, events } = startRun(store, [{ calls: [{ tool: 'tool', input: {} }] }, { say: 'Over.' }], [tool]);
    await run.ended;
    expect(events().find(({ type }) => type === 'call_started')).toMatchObject({ keptBy: 'web-rules' });
  });
});
