import { Socket } from 'node:net';

/** For each address, in milliseconds. */
const CONNECT_MS = 8_000;
/** More than these are not tried. */
const MAX_ADDRESSES = 4;

/**
 * Connects to the first of these addresses that takes it. No name is looked up here: they are what was checked.
 * @param guard is given every socket before it does anything, and may end it at any time
 * @throws the first one's error
 */
export async function connectTo(
  addresses: readonly string[],
  port: number,
  guard: (socket: Socket) => void,
): Promise<Socket> {
  const errors: unknown[] = [];
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await connectOne(address, port, guard);
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0];
}

function connectOne(host: string, port: number, guard: (socket: Socket) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new Socket({ allowHalfOpen: true });
    guard(socket);
    const timer = setTimeout(() => socket.destroy(errorOf('ETIMEDOUT')), CONNECT_MS);
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(errorOf('ECONNRESET'));
    });
    // To connect it would bring it to life again.
    if (socket.destroyed) return;
    socket.connect({ host, port }, () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}

const errorOf = (code: string): Error => Object.assign(new Error('There is no connection.'), { code });
