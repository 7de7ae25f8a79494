import type { ChildProcess } from 'node:child_process';
import { Server } from 'node:net';
import { CHANNEL_FD } from '../inherited-fds';
import { PROXY_PORT } from './proxy-environment';

/** The runtime starts in a tenth of a second; this is for a machine that is very busy, in milliseconds. */
const HAND_OVER_MS = 20_000;

/** Of what listens, when the app has its socket: a number that nothing else ends with. */
const HANDED_OVER = 83;

/**
 * Listens in the network of the sandbox and hands the socket over to the app, which takes the connections from there on:
 * a socket stays in the network in which it was made. Ends well only when the app says that it has it.
 */
const scriptFor = (port: number): string => `
const server = require('net').createServer();
const end = (code) => () => process.exit(code);
server.on('error', (error) => { console.error(error.message); end(1)(); });
process.once('message', end(${HANDED_OVER})).once('disconnect', end(1));
server.listen({ host: '127.0.0.1', port: ${port} }, () => process.send('listening', server));
`;

/**
 * Runs that with nothing of the command's environment, closes the channel and becomes the command; or ends, and the
 * command never runs.
 */
const SHELL = [
  `/usr/bin/env -i ELECTRON_RUN_AS_NODE=1 NODE_CHANNEL_FD=${CHANNEL_FD} "$0" -e "$1" </dev/null`,
  `[ $? -eq ${HANDED_OVER} ] || exit 1`,
  'shift',
  `exec ${CHANNEL_FD}>&-`,
  'exec "$@"',
].join('\n');

/**
 * Variables that a shell itself acts on or sets, and the C library. They come behind it, as words: what they hold is no
 * secret.
 */
const OF_THE_SHELL =
  /^(?:LD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|BASH.*|SHELLOPTS|ENV|IFS|PS\d|OPT(?:IND|ARG|ERR)|PPID|E?UID|GROUPS|RANDOM|SECONDS|LINENO|POSIXLY_CORRECT)$/;

/** What is started in the sandbox, and its environment. */
export interface Start {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The start of something that listens first. @param runtime the app's own, absolute */
export function listening(runtime: string, { words, environment }: Start, port = PROXY_PORT): Start {
  const variables = Object.entries(environment);
  const late = variables.filter(([name]) => OF_THE_SHELL.test(name)).map(([name, value]) => `${name}=${value}`);
  return {
    words: [
      '/bin/sh',
      '-c',
      SHELL,
      runtime,
      scriptFor(port),
      ...(late.length === 0 ? [] : ['/usr/bin/env', ...late]),
      ...words,
    ],
    environment: Object.fromEntries(variables.filter(([name]) => !OF_THE_SHELL.test(name))),
  };
}

/**
 * Takes the socket that a child hands over, and lets the child go on. A child that does not hand it over in time is ended.
 * @param take settles when connections are taken
 */
export function takeListener(child: ChildProcess, take: (listener: Server) => Promise<void>): void {
  const late = setTimeout(() => child.kill('SIGKILL'), HAND_OVER_MS);
  child.once('exit', () => clearTimeout(late));
  child.once('message', async (_message, listener) => {
    clearTimeout(late);
    try {
      if (!(listener instanceof Server)) throw new Error('This is no socket.');
      await take(listener);
      // The shell closes its end then, before it becomes the command.
      if (child.connected) child.send('taken', () => undefined);
    } catch {
      if (child.connected) child.disconnect();
      child.kill('SIGKILL');
    }
  });
}
