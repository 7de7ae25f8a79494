import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ProcessEnd } from './process';
import type { TreeEnd } from './process-tree';
import type { Refusal } from './refusal';

/** Who a process runs as, where that is not who the app runs as. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** What is really started: the command itself, or what confines it and then becomes it. */
export interface Launch {
  /** What a POSIX shell does before it becomes this, or does not; where there is nothing, no shell is needed. */
  readonly prepare: readonly string[];
  /** Absolute. */
  readonly file: string;
  readonly argv0: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly owner: Owner | null;
  /** On how many descriptors of its own it reads, from the first free one on. It does nothing until it read them. */
  readonly reads: number;
  /** To be done with the process before it is given anything to read, so before it does anything. Never rejects. */
  readonly beforeFeeds?: (pid: number) => Promise<void>;
  /** Whether it reports on one more descriptor, after those. */
  readonly reports: boolean;
  /** A descriptor of this process that it gets, after all of those. */
  readonly gate?: number;
  /** Whether it has a channel to this process, at CHANNEL_FD. */
  readonly channel: boolean;
}

/** Everything that has to end with the command. */
export interface Tree {
  /** Starts to look, so that what loses its parent is known. */
  watch(): void;
  /** Ends the tree: SIGTERM, SIGKILL after 2 s. Takes less than 10 s, come what may. */
  end(): Promise<TreeEnd>;
}

export interface LaunchPlace {
  /** Descriptors from this one on are free. */
  readonly firstFd: number;
  /** The name of the pipe that is the output; null where it is none with a name. */
  readonly pipe: string | null;
}

/** One start, planned as far as has to be known to start it. */
export interface Launching {
  readonly launch: Launch;
  /**
   * What it is to read, one for each descriptor. Found out while it starts.
   * @throws Error with words for model and operator, where it turns out that it must not run
   */
  feeds(): Promise<readonly Buffer[]>;
  /** @param reports what the launch reports, where it does */
  tree(child: ChildProcess & { readonly pid: number }, reports: Readable | null): Tree;
  /** Corrects the end that the operating system told, and adds what is known beyond it. After the tree is gone. */
  conclude?(end: ProcessEnd, output: string): Promise<Conclusion>;
  /** Instead of that, where it was not started after all: takes back what was prepared. Never rejects. */
  abandon?(): Promise<void>;
}

export interface Conclusion {
  readonly end: ProcessEnd;
  /** For model and operator: which limit ended it, what the sandbox refused. */
  readonly notes: readonly string[];
  /** What the sandbox kept the command from. */
  readonly refused?: readonly Refusal[];
}

export interface Launcher {
  /** @throws Error with words for model and operator, where the command cannot be started */
  plan(place: LaunchPlace): Promise<Launching>;
}
