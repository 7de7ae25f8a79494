import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { saveScreenshot } from '../../../src/main/desktop/screenshot';

let folder: string;
let file: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  folder = await mkdtemp(join(tmpdir(), 'sayso-picture-'));
  file = join(folder, 'window.png');
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

const empty = async () => ({ isEmpty: () => true, toPNG: () => Buffer.alloc(0) });
const never = () => new Promise(() => {});
const PICTURE = { isEmpty: () => false, toPNG: () => Buffer.from('picture') };

/** A stand-in: a real window gives an empty picture by chance, while its first frame is on the way. */
class FakeWindow {
  readonly webContents = Object.assign(new EventEmitter(), { capturePage: () => this.next() });
  visible = true;
  destroyed = false;
  asked = 0;

  constructor(private readonly pictures: readonly (() => Promise<unknown>)[]) {
    saveScreenshot(this as unknown as Parameters<typeof saveScreenshot>[0], file);
    this.webContents.emit('did-finish-load');
  }

  isVisible = () => this.visible;
  isDestroyed = () => this.destroyed;

  private next(): Promise<unknown> {
    this.asked += 1;
    return (this.pictures[this.asked - 1] ?? (async () => PICTURE))();
  }
}

const written = async () => {
  vi.useRealTimers();
  await vi.waitFor(() => expect(existsSync(file)).toBe(true));
  return readFile(file, 'utf8');
};

it('asks again for a picture that came out empty, or never came', async () => {
  const window = new FakeWindow([empty, never, empty]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await written()).toBe('picture');
  expect(window.asked).toBe(4);
});

it('takes none of a window that is not shown, until it is', async () => {
  const window = new FakeWindow([]);
  window.visible = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(window.asked).toBe(0);
  window.visible = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await written()).toBe('picture');
});

it('ends with the window', async () => {
  const window = new FakeWindow([empty]);
  await vi.advanceTimersByTimeAsync(1_000);
  window.destroyed = true;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(window.asked).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
  expect(existsSync(file)).toBe(false);
});

it('says what kept it from being written', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  new FakeWindow([() => Promise.reject(new Error('the window has crashed'))]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(said).toHaveBeenCalledWith('The screenshot could not be written: the window has crashed');
  said.mockRestore();
});
