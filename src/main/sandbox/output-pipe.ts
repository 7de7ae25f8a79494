import { execFile } from 'node:child_process';
import { close, constants, open, rmSync } from 'node:fs';
import { type FileHandle, lstat, mkdtemp, open as openHandle, readdir, rm, rmdir } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isRunning } from './is-running';

const openFd = promisify(open);
const closeFd = promisify(close);
const runFile = promisify(execFile);

/** The system's own folders: a `mkfifo` that someone put on the user's PATH is not started. */
const SYSTEM_PATH = '/usr/bin:/bin:/run/current-system/sw/bin:/usr/local/bin';

/** One pipe for both stdout and stderr, so that what a command prints arrives in the order in which it was printed. */
export interface OutputPipe {
  readonly reader: Socket;
  /** The end for the child. Close it right after the spawn, or the reader never sees the end. */
  readonly writer: FileHandle;
  /** The name that its holders' file descriptors show in /proc, though the file is gone. */
  readonly path: string;
}

/** Followed by the pid of the app and something random. */
const PREFIX = 'sayso-output-';
/** So many at a time: starting mkfifo takes as long as starting a command. */
const BATCH = 8;

/** The next one, opened ahead. */
let spare: Promise<OutputPipe> | null = null;
/** Made, but not opened, so that they hold no descriptors. Each batch lies in a folder that only this user can enter. */
const named: string[] = [];
/** Once: what a kill -9 of an app left is cleared away, and at the end of this one its own. */
let tidied: Promise<void> | null = null;

/**
 * Opens such a pipe: a FIFO that loses its name as soon as both ends are open. Node itself only makes socket pairs, one
 * a descriptor, which lose the order and cannot be opened again as /dev/stderr.
 * @throws Error where the system has no FIFOs or no mkfifo.
 */
export async function openOutputPipe(): Promise<OutputPipe> {
  const taken = spare ?? makePipe();
  spare = null;
  const pipe = await taken;
  pipe.reader.ref();
  return pipe;
}

/** Makes the pipe for the next command, if there is none. Never rejects: then the next one is made when it is needed. */
export async function prepareOutputPipe(): Promise<void> {
  const made = spare ?? makePipe();
  spare = made;
  await made.catch(() => {
    if (spare === made) spare = null;
  });
}

/**
 * Opens one of both ends in one descriptor: whoever gets it and reads from it waits for a word, and for no end. When the
 * app is killed none comes.
 * @throws Error where the system has no FIFOs or no mkfifo.
 */
export const openEndlessPipe = (): Promise<FileHandle> =>
  openNamed((path) => openHandle(path, constants.O_RDWR).finally(() => unname(path)));

const makePipe = (): Promise<OutputPipe> => openNamed(openEnds);

async function openNamed<T>(open: (path: string) => Promise<T>): Promise<T> {
  const path = named.pop();
  const opened = path === undefined ? null : await open(path).catch(() => null);
  if (opened !== null) return opened;
  // Someone cleared the folder away, and with it most likely the others.
  named.length = 0;
  const [first = '', ...others] = await makeNames();
  named.push(...others);
  return open(first);
}

async function makeNames(): Promise<string[]> {
  tidied ??= tidy();
  await tidied;
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const paths = Array.from({ length: BATCH }, (_, index) => join(folder, `pipe-${index}`));
  try {
    await runFile('mkfifo', ['-m', '600', ...paths], { env: { PATH: SYSTEM_PATH } });
    return paths;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The name goes, whatever happens. */
async function openEnds(path: string): Promise<OutputPipe> {
  try {
    // Without O_NONBLOCK the first open would wait for the second one.
    const readEnd = await openFd(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const writer = await openHandle(path, constants.O_WRONLY);
      // Until it is used, the app need not stay for it.
      return { reader: new Socket({ fd: readEnd, readable: true, writable: false }).unref(), writer, path };
    } catch (error) {
      await closeFd(readEnd);
      throw error;
    }
  } finally {
    await unname(path);
  }
}

/** And the folder with the last of them. */
async function unname(path: string): Promise<void> {
  await rm(path, { force: true });
  await rmdir(dirname(path)).catch(() => undefined);
}

async function tidy(): Promise<void> {
  process.once('exit', () => {
    for (const folder of new Set(named.map(dirname))) rmSync(folder, { recursive: true, force: true });
  });
  const names = await readdir(tmpdir()).catch(() => []);
  const left = names.filter((name) => name.startsWith(PREFIX) && !isRunning(Number(name.split('-')[2])));
  await Promise.all(left.map((name) => removeOwn(join(tmpdir(), name)).catch(() => undefined)));
}

/** In a folder of someone else's anything could happen while it is being removed. */
async function removeOwn(folder: string): Promise<void> {
  if ((await lstat(folder)).uid === process.getuid?.()) await rm(folder, { recursive: true, force: true });
}
