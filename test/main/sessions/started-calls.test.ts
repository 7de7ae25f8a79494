import type { EventBody } from '@shared/events';
import { CallId } from '@shared/ids';
import type { CallPreview } from '@shared/requests';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

let number = 0;
function started(tool: string, preview: CallPreview): EventBody {
  number += 1;
  return {
    type: 'call_started',
    turn: 1,
    callId: CallId.parse(`c${number}`),
    tool,
    preview,
    command: [{ segments: [{ text: `${tool} “${number}”`, escape: false }], warnings: [] }],
    digest: `${number}`.padStart(64, '0'),
    program: tool === 'run_command' ? '/usr/bin/git' : null,
    allowedBy: 'ungated',
  };
}

const command = (...argv: string[]): CallPreview => ({
  kind: 'command',
  argv,
  cwd: '/ws',
  program: '/usr/bin/git',
  environment: [],
  timeoutMs: 1,
  shell: argv[0] === 'sh',
});
const file = (bytes: number): CallPreview => ({
  kind: 'file',
  path: '/ws/a',
  created: false,
  added: 1,
  removed: 1,
  diff: '+'.repeat(bytes),
  omittedLines: 0,
  bytesAfter: bytes,
});

describe('the commands that a session has started', () => {
  it('are told without those that were allowed more than the agent file does: no grant lets such a one run', () => {
    const ref = startSession(store.journal);
    const plain = started('run_command', command('git', 'push'));
    const more = {
      ...started('run_command', command('git', 'push')),
      allows: [{ kind: 'network', host: null, port: null }],
    };
    store.journal.append(ref, [plain, more as EventBody], 'batched');
    expect(store.reader.startedCalls(ref.sessionId)).toHaveLength(1);
  });

  it('are told oldest first, with what a grant is judged by and no more', () => {
    const ref = startSession(store.journal);
    const bodies = [
      started('run_command', command('git', 'push', '--force')),
      started('write_file', file(1_000)),
      started('shell', command('sh', '-c', 'rm -rf "x"')),
      started('remove', { kind: 'delete', path: '/ws/a', folder: true, files: 1, bytes: 1 }),
    ];
    store.journal.append(ref, bodies, 'batched');
    const calls = store.reader.startedCalls(ref.sessionId);
    expect(calls.map(({ seq }) => seq)).toEqual(calls.map(({ seq }) => seq).sort((a, b) => a - b));
    expect(calls.map(({ body }) => body)).toEqual(
      bodies.map((body) => {
        if (body.type !== 'call_started') throw new Error('all of them are');
        const { tool, program, digest, command: shown, preview } = body;
        const { kind } = preview;
        const judged = kind === 'command' ? { kind, argv: preview.argv, shell: preview.shell } : { kind };
        return { tool, program, digest, command: shown, preview: judged };
      }),
    );
  });

  it('are read up to a number of bytes: long diffs are left out before they are read, and crowd out no other', () => {
    const ref = startSession(store.journal);
    for (let round = 0; round < 100; round += 1) {
      const diffs = [started('write_file', file(262_144)), started('write_file', file(100))];
      store.journal.append(ref, [started('run_command', command('git', 'status')), ...diffs], 'batched');
    }
    const calls = store.reader.startedCalls(ref.sessionId);
    const of = (tool: string) => calls.filter(({ body }) => body.tool === tool).length;
    expect(of('run_command')).toBe(100);
    expect(of('write_file')).toBe(107);
    expect(JSON.stringify(calls).length).toBeLessThan(200_000);
  });

  it('leave out one that is damaged, and tell the others', () => {
    const ref = startSession(store.journal);
    store.journal.append(ref, [started('a', command('git')), started('b', command('git'))], 'batched');
    store.database.prepare('UPDATE events SET body = \'{\' WHERE body LIKE \'%"tool":"a"%\'').run();
    expect(store.reader.startedCalls(ref.sessionId).map(({ body }) => body.tool)).toEqual(['b']);
  });
});
