import { execFile } from 'node:child_process';
import { close, constants, open } from 'node:fs';
import { type FileHandle, mkdtemp, open as openHandle, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

interface PipeEnds {
  readonly readEnd: number;
  readonly writer: FileHandle;
  readonly path: string;
}

/** So many at a time: starting mkfifo takes as long as starting a command. */
const BATCH = 8;

/** Made ahead, without a name already. */
const spare: PipeEnds[] = [];
/** More of them, on their way. */
let coming: Promise<void> | null = null;

/**
 * Opens such a pipe: a FIFO that loses its name as soon as both ends are open. Node itself only makes socket pairs, one
 * a descriptor, which lose the order and cannot be opened again as /dev/stderr.
 * @throws Error where the system has no FIFOs or no mkfifo.
 */
export async function openOutputPipe(): Promise<OutputPipe> {
  for (;;) {
    const taken = spare.pop();
    if (taken !== undefined) {
      const { readEnd, writer, path } = taken;
      return { reader: new Socket({ fd: readEnd, readable: true, writable: false }), writer, path };
    }
    await makeMore();
  }
}

/** Makes pipes for the next commands, if there are none. Never rejects: then they are made when they are needed. */
export async function prepareOutputPipe(): Promise<void> {
  if (spare.length === 0) await makeMore().catch(() => undefined);
}

function makeMore(): Promise<void> {
  coming ??= makePipes().finally(() => {
    coming = null;
  });
  return coming;
}

async function makePipes(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sayso-output-'));
  const paths = Array.from({ length: BATCH }, (_, index) => join(folder, `pipe-${index}`));
  try {
    await runFile('mkfifo', ['-m', '600', ...paths], { env: { PATH: SYSTEM_PATH } });
    for (const path of paths) spare.push(await openEnds(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openEnds(path: string): Promise<PipeEnds> {
  // Without O_NONBLOCK the first open would wait for the second one.
  const readEnd = await openFd(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readEnd, writer: await openHandle(path, constants.O_WRONLY), path };
  } catch (error) {
    await closeFd(readEnd);
    throw error;
  }
}
