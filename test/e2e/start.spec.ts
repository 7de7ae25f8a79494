import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, PROJECT, test } from '../support/app';

const sizeOf = async (file: string) => (await stat(file).catch(() => null))?.size ?? null;

test('npm start opens the console, and Ctrl-C ends it', async ({ makeFolder }) => {
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
    await expect.poll(() => sizeOf(picture), { timeout: 50_000 }).toBeGreaterThan(5_000);
    expect(output.join('')).toContain('Starting Sayso');
  } catch (error) {
    // The reporter cuts attachments short.
    throw new Error(`npm start did not come to a picture. It printed:\n${output.join('')}`, { cause: error });
  } finally {
    if (start.pid !== undefined && start.exitCode === null) process.kill(-start.pid, 'SIGINT');
  }
  await ended;
  expect(output.join('')).not.toMatch(/\bat .*\.m?js:\d+/);
});
