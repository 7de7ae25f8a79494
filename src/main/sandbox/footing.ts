import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Begun, begun, type Descriptor, spawnLaunch } from './child';
import { InheritedDescriptors } from './inherited-fds';
import type { Launch } from './launch';
import { type OutputPipe, openOutputPipe } from './output-pipe';

/** What is there before a process: the descriptors that it will have below its own. */
export interface Footing {
  /** The first of its own. */
  readonly firstFd: number;
  /** Both its stdout and its stderr; null where it has one pipe for each. */
  readonly pipe: OutputPipe | null;
  /** Starts a launch on it; once. @param name what the command is called, for messages */
  launch(launch: Launch, name: string): Promise<Begun>;
  /** To be called in the end, whatever came of it. */
  close(): Promise<void>;
}

/** For a command: no stdin, one output, and nothing behind the descriptors that the app itself inherited. */
export async function commandFooting(): Promise<Footing> {
  // Without FIFOs the child gets one pipe a descriptor, and the order between the two is only nearly kept.
  const pipe = process.platform === 'win32' ? null : await openOutputPipe().catch(() => null);
  const output = pipe?.writer.fd ?? 'pipe';
  return freshFooting(['ignore', output, output], pipe);
}

/** For a process that is spoken with: three pipes. */
export const serverFooting = (): Footing => freshFooting(['pipe', 'pipe', 'pipe'], null);

function freshFooting(standard: readonly Descriptor[], pipe: OutputPipe | null): Footing {
  const inherited = new InheritedDescriptors();
  return {
    firstFd: inherited.firstFree,
    pipe,
    async launch(launch, name) {
      // Its own output can then be opened again by name.
      if (launch.owner !== null) await pipe?.writer.chown(launch.owner.uid, launch.owner.gid);
      // Starting holds this thread up for a millisecond. What is being looked for goes on meanwhile, once asked for.
      await nextTurn();
      const nothing = openSync(devNull, 'r+');
      try {
        const child = spawnLaunch(launch, [...standard, ...inherited.covered(nothing, launch.channel)]);
        return begun(child, name);
      } finally {
        closeSync(nothing);
        // The reader sees an end only when nobody here can write. Whether that worked is asked in `close`.
        pipe?.writer.close().catch(() => undefined);
      }
    },
    async close() {
      await pipe?.writer.close();
      pipe?.reader.destroy();
    },
  };
}
