import { EventEmitter } from 'node:events';
import type { Push } from '@shared/bridge';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { notificationText } from '../../src/main/desktop/notification-text';
import { Pushes } from '../../src/main/desktop/pushes';
import { watchUnexpected } from '../../src/main/desktop/unexpected';
import { approval, openStore, rememberable, type Store, startSession } from '../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

describe('an error that nobody caught', () => {
  it('is told, in a number that hides nothing else, and is not left to a dialog that stops the clocks', () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const source = new EventEmitter();
    const told: string[] = [];
    watchUnexpected(source, (message) => told.push(message));
    source.emit('uncaughtException', new Error('a stray one'));
    source.emit('unhandledRejection', 'no error at all');
    expect(told).toEqual([expect.stringContaining('a stray one'), expect.stringContaining('no error at all')]);
    for (let times = 0; times < 1_000; times += 1) source.emit('uncaughtException', new Error('again'));
    expect(told).toHaveLength(20);
    expect(quiet).toHaveBeenCalledTimes(1_002);
  });
});

describe('a notification', () => {
  const ref = () => startSession(store.journal);

  it('has no markup of a model where the desktop reads markup', () => {
    const text = '<a href="https://evil.example">Approve</a> <img src="file:///etc/passwd"> &amp;';
    const call = rememberable({ command: [{ segments: [{ text, escape: false }], warnings: [] }] });
    const { body } = notificationText(approval(ref(), call), 'linux');
    expect(body).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    expect(notificationText(approval(ref(), call), 'darwin').body).toContain('<a href');
  });

  it('is short, whatever the command', () => {
    const call = rememberable({
      command: [{ segments: [{ text: '𝕏'.repeat(130_000), escape: false }], warnings: [] }],
    });
    const { title, body } = notificationText({ ...approval(ref(), call), sessionTitle: 't'.repeat(9_999) }, 'linux');
    expect([...title].length).toBeLessThanOrEqual(100);
    expect([...body].length).toBeLessThanOrEqual(240);
  });

  it('shows where one argument ends and the next begins', () => {
    const row = (text: string) => ({ segments: [{ text, escape: false }], warnings: [] });
    const body = (...rows: string[]) =>
      notificationText(approval(ref(), rememberable({ command: rows.map(row) })), 'linux').body;
    expect(body('rm', 'a b')).not.toBe(body('rm', 'a', 'b'));
    expect(body('rm', '')).not.toBe(body('rm'));
  });
});

describe('what is told to the window', () => {
  it('holds a new request even when something else cannot be told', () => {
    const sent: Push[] = [];
    const pushes = new Pushes({ inbox: store.inbox, grants: store.grants, send: (push) => sent.push(push) });
    pushes.follow(store.journal);
    const ref = startSession(store.journal);
    const [first, second] = [rememberable(), rememberable({ program: '/usr/bin/rm' })];
    const granted = approval(ref, first);
    void store.inbox.ask(granted, first);
    vi.spyOn(store.grants, 'list').mockImplementation(() => {
      throw new Error('the store cannot be read');
    });
    store.inbox.answer(granted.id, granted.digest, { type: 'approve', remember: 'session' });
    const request = approval(ref, second);
    void store.inbox.ask(request, second);
    const last = sent.filter((push) => push.type === 'inbox').at(-1);
    expect(last?.type === 'inbox' && last.requests.map(({ id }) => id)).toEqual([request.id]);
  });
});
