import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import { type Begun, begun, hasEnded, isStarted, type StartedChild, spawnShell } from './child';
import type { Footing } from './footing';
import { InheritedDescriptors } from './inherited-fds';
import type { Ahead, Launch } from './launch';
import { type OutputPipe, openOutputPipe } from './output-pipe';
import { becoming } from './shell-words';

/** What a shell has before it is told more. Nothing of the app's own. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin' };

/** The next one. */
let waiting: WaitingShell | null = null;
/** Until it is there. */
let starting: Promise<void> | null = null;

/**
 * A shell that was started while another command worked, and waits to be told what to become: most of what a start
 * costs is the copying of this process. It has the descriptors that the command will have, and ends with this process,
 * from which it reads.
 */
class WaitingShell implements Footing {
  private isTaken = false;

  constructor(
    private readonly child: StartedChild,
    readonly pipe: OutputPipe,
    readonly firstFd: number,
    private readonly reads: number,
  ) {
    // Whoever takes it is told by its end what became of it.
    for (const stream of this.streams) stream.on('error', () => stream.destroy());
    // An app that has nothing else to do need not stay for it.
    for (const each of [child, ...this.streams]) each.unref();
  }

  /** Whether it can still become a launch that reads from so many descriptors. */
  suits({ reads }: Ahead): boolean {
    return this.reads === reads && !hasEnded(this.child);
  }

  async launch(launch: Launch, name: string): Promise<Begun> {
    this.isTaken = true;
    for (const each of [this.child, ...this.streams]) each.ref();
    this.child.stdin?.end(becoming(launch));
    return begun(this.child, name);
  }

  async close(): Promise<void> {
    // It reads the end of what there is to do.
    if (!this.isTaken) for (const stream of this.streams) stream.destroy();
    this.pipe.reader.destroy();
  }

  private get streams(): Socket[] {
    return this.child.stdio.filter((stream) => stream instanceof Socket);
  }
}

/** @returns null where none waits that suits */
export function takeShell(ahead: Ahead | null): Footing | null {
  const shell = waiting;
  if (ahead === null || shell === null) return null;
  waiting = null;
  if (shell.suits(ahead)) {
    shell.pipe.reader.ref();
    return shell;
  }
  void shell.close();
  return null;
}

/** Starts the one for the next command, if there is none. Never rejects: then the next one has to do without. */
export async function prepareShell(ahead: Ahead): Promise<void> {
  if (waiting?.suits(ahead) === true) return;
  // Commands that run at the same time need no more than one.
  starting ??= startNext(ahead).finally(() => {
    starting = null;
  });
  await starting;
}

async function startNext(ahead: Ahead): Promise<void> {
  const shell = await startShell(ahead).catch(() => null);
  if (shell === null) return;
  void waiting?.close();
  waiting = shell;
}

async function startShell({ reads }: Ahead): Promise<WaitingShell | null> {
  const pipe = await openOutputPipe();
  const nothing = openSync(devNull, 'r+');
  try {
    const inherited = new InheritedDescriptors();
    const covered = inherited.covered(nothing, false);
    // One more, to report on.
    const child = spawnShell(ENVIRONMENT, pipe.writer.fd, covered, reads + 1);
    // Without one, a command starts a shell of its own.
    child.on('error', () => undefined);
    if (isStarted(child)) {
      pipe.reader.unref();
      return new WaitingShell(child, pipe, inherited.firstFree, reads);
    }
    pipe.reader.destroy();
    return null;
  } finally {
    closeSync(nothing);
    await pipe.writer.close();
  }
}
