import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, type Server } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { listening, takeListener } from '../../../../src/main/sandbox/proxy/listener';

/** What is to be started in the sandbox, started outside of it. */
function startHere(words: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const [file = '', ...args] = words;
  return spawn(file, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  // Not "close", which does not come where this side ended the channel.
  await Promise.all([once(child, 'exit'), child.stdout === null ? null : once(child.stdout, 'close')]);
  return output;
}

describe('what listens in the sandbox', () => {
  const command = { words: ['/bin/echo', '$HOME', 'a b'], environment: { PATH: '/usr/bin:/bin', LD_BIND_NOW: '1' } };

  it('hands its socket over before the command begins, and becomes the command', async () => {
    const { words, environment } = listening(process.execPath, command, 0);
    expect(environment).toEqual({ PATH: '/usr/bin:/bin' });
    const child = startHere(words, environment);
    const taken: Server[] = [];
    takeListener(child, async (listener) => {
      taken.push(listener.on('connection', (socket) => socket.end('taken')));
    });
    expect(await outputOf(child)).toBe('$HOME a b\n');
    expect(child.exitCode).toBe(0);
    await vi.waitFor(() => expect(child.connected).toBe(false));
    for (const listener of taken) {
      const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1');
      expect(String((await once(socket, 'data'))[0])).toBe('taken');
      listener.close();
    }
    expect(taken).toHaveLength(1);
  });

  it('does not let the command begin where nobody takes it', async () => {
    const { words, environment } = listening(process.execPath, command, 0);
    const child = startHere(words, environment);
    child.once('message', (_message, listener) => {
      (listener as Server).close();
      child.disconnect();
    });
    expect(await outputOf(child)).toBe('');
    expect(child.exitCode).toBe(1);
  });

  it('is ended where it cannot be taken', async () => {
    const { words, environment } = listening(process.execPath, command, 0);
    const child = startHere(words, environment);
    takeListener(child, async (listener) => {
      listener.close();
      throw new Error('it cannot');
    });
    expect(await outputOf(child)).toBe('');
    expect(child.signalCode).toBe('SIGKILL');
  });

  it('is ended where it hands over something else', async () => {
    const child = startHere([process.execPath, '-e', 'process.send("hello"); setInterval(() => {}, 1000)'], {});
    takeListener(child, async () => undefined);
    await outputOf(child);
    expect(child.signalCode).toBe('SIGKILL');
  });

  it.each([
    ['a runtime that is not there', '/nowhere/node'],
    ['one that fails', '/bin/false'],
    ['one that says nothing', '/bin/true'],
  ])('keeps the command from beginning with %s', async (_, runtime) => {
    const { words, environment } = listening(runtime, command, 0);
    const child = startHere(words, environment);
    let isTaken = false;
    takeListener(child, async () => {
      isTaken = true;
    });
    const output = await outputOf(child);
    expect(isTaken).toBe(false);
    expect(output).toBe('');
  });
});
