import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { lutimes, mkdir, open, symlink, unlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { MODE, type PlaceKind, SOCKET_TIME } from './place-marks';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** So long may the path of a socket be, in bytes (unix(7)). Node would cut it off. */
const MAX_SOCKET_PATH = 107;

export interface MadePlaces {
  /** The names of what was made, which it need not have been: something may be there already. */
  readonly made: readonly string[];
  /** What the system said where it stopped before all was there; null where it is. */
  readonly failure: unknown;
}

/**
 * Makes what holds places in a folder, where nothing is yet.
 * @param at a path that leads to the folder
 * @param names and what is to be made of each
 * @param unseen a folder that no command gets to see; null for none: then folders stand in for sockets
 */
export async function makePlaces(
  at: string,
  names: ReadonlyMap<string, PlaceKind>,
  unseen: string | null,
): Promise<MadePlaces> {
  const made: string[] = [];
  const making = async (name: string, make: (place: string) => Promise<boolean>): Promise<void> => {
    if (await make(join(at, name))) made.push(name);
  };
  const ofKind = (kind: PlaceKind) => [...names].flatMap(([name, one]) => (one === kind ? [name] : []));
  const ends = await Promise.allSettled([
    ...ofKind('folder').map((name) => making(name, makeFolder)),
    ...ofKind('file').map((name) => making(name, makeFile)),
    makeSockets(at, ofKind('socket'), unseen, made),
  ]);
  const failed = ends.find((one) => one.status === 'rejected');
  return { made, failure: failed === undefined ? null : failed.reason };
}

const isThere = (error: NodeJS.ErrnoException): false => {
  if (error.code !== 'EEXIST') throw error;
  return false;
};

/** @returns whether it was not there before */
function makeFolder(at: string): Promise<boolean> {
  return mkdir(at, MODE).then(() => unmask(at, O_DIRECTORY, MODE), isThere);
}

/** @returns whether it was not there before */
function makeFile(at: string): Promise<boolean> {
  const mode = MODE & ~0o111;
  return open(at, 'wx', mode).then((file) => file.close().then(() => unmask(at, 0, mode)), isThere);
}

/**
 * What the app's own mask takes from a mode only matters to an app of root, whose command may be another user's: that one
 * would stumble over what it cannot look into.
 */
async function unmask(at: string, kind: number, mode: number): Promise<true> {
  if (process.getuid?.() !== 0) return true;
  // Answered from memory, and at once. process.umask() would set it for a moment.
  const mask = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
  if ((mode & Number.parseInt(mask, 8)) === 0) return true;
  // Never through a link that a command put in its place meanwhile.
  const file = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | kind).catch(() => null);
  // It holds the place all the same.
  await file?.chmod(mode).catch(() => undefined);
  await file?.close();
  return true;
}

async function makeSockets(at: string, names: readonly string[], unseen: string | null, done: string[]): Promise<void> {
  if (names.length === 0) return;
  const servers: Server[] = [];
  const made = unseen === null ? [] : await listenAll(at, names, unseen, servers);
  try {
    await Promise.all(
      names.map(async (name, index) => {
        const failure = made[index];
        if (failure === null) {
          done.push(name);
          await lutimes(join(at, name), SOCKET_TIME, SOCKET_TIME);
        }
        // Not every file system has sockets, and not every name is short enough for one.
        else if (failure !== 'EADDRINUSE' && (await makeFolder(join(at, name)))) done.push(name);
      }),
    );
  } finally {
    for (const server of servers) server.close();
  }
}

/**
 * Node takes the name of a socket away when it stops listening. So it is given a way to it that is gone by then, and that
 * nobody can put there anew: what it leads to would be taken away instead.
 */
async function listenAll(
  at: string,
  names: readonly string[],
  unseen: string,
  servers: Server[],
): Promise<(string | null)[]> {
  const way = join(unseen, `.to-${randomUUID().slice(0, 8)}`);
  const failure = await symlink(at, way).then(
    () => null,
    ({ code }: NodeJS.ErrnoException) => code ?? '',
  );
  if (failure !== null) return names.map(() => failure);
  try {
    return await Promise.all(names.map((name) => listen(join(way, name), servers)));
  } finally {
    await unlink(way);
  }
}

/** @returns the code of what went wrong */
function listen(path: string, servers: Server[]): Promise<string | null> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) return Promise.resolve('ENAMETOOLONG');
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
    server.listen(path, () => {
      servers.push(server);
      resolve(null);
    });
  });
}
