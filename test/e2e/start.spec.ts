import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, PROJECT, test } from '../support/app';

test('npm start opens the console, and Ctrl-C ends it', async ({ makeFolder }, testInfo) => {
  const home = await makeFolder();
  const picture = join(home, 'window.png');
  const start = spawn('npm', ['start'], {
    cwd: PROJECT,
    env: { ...process.env, SAYSO_HOME: home, SAYSO_SCREENSHOT: picture },
    // A group of its own, as a terminal makes one: Ctrl-C reaches all of it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [start.stdout, start.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
  const ended = once(start, 'exit');
  try {
    // The picture is written by the window itself, once it has drawn.
    const size = async () => (await stat(picture).catch(() => ({ size: 0 }))).size;
    await expect.poll(size, { timeout: 45_000 }).toBeGreaterThan(5_000);
    expect(output.join('')).toContain('Starting Sayso');
  } finally {
    await testInfo.attach('output', { body: output.join(''), contentType: 'text/plain' });
    if (start.pid !== undefined && start.exitCode === null) process.kill(-start.pid, 'SIGINT');
  }
  await ended;
  expect(output.join('')).not.toMatch(/\bat .*\.m?js:\d+/);
});
