import { Worker } from 'node:worker_threads';
import { ToolError } from '../tool';

/** A line that matches, counted from 1. */
export interface LineMatch {
  readonly line: number;
  readonly text: string;
}

/** In characters; a longer line is cut around its match. */
const MAX_LINE = 400;

/**
 * The program of the worker. A text, because the main process is bundled into one file; small, because nothing checks
 * it. It gets {text, limit} and answers with up to `limit` matching lines.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, limit }) => {
  const found = [];
  const lines = text.split(/\\r?\\n/);
  for (let index = 0; index < lines.length && found.length < limit; index++) {
    const match = pattern.exec(lines[index]);
    if (match === null) continue;
    const start = Math.max(0, match.index - ${MAX_LINE / 4});
    const cut = lines[index].slice(start, start + ${MAX_LINE});
    const after = start + cut.length < lines[index].length;
    found.push({ line: index + 1, text: (start > 0 ? '[...] ' : '') + cut + (after ? ' [...]' : '') });
  }
  parentPort.postMessage(found);
});
`;

/** @throws ToolError when it is no JavaScript regular expression. Nothing is matched yet. */
export function checkPattern(source: string, flags: string): void {
  try {
    new RegExp(source, flags);
  } catch (error) {
    throw new ToolError(`The pattern is wrong: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/**
 * Matches lines with a regular expression that a model wrote, in a thread of its own: some expressions take for ever on
 * some texts, and a thread can be ended, while the main process must go on.
 */
export class LineMatcher {
  private readonly worker: Worker;
  private ended: Error | null = null;

  constructor(source: string, flags: string) {
    this.worker = new Worker(PROGRAM, {
      eval: true,
      env: {},
      workerData: { source, flags },
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    this.worker.on('error', (error) => {
      this.ended = error;
    });
  }

  /**
   * The first `limit` lines that match.
   * @param deadline by Date.now(); then the thread is ended, and the matcher with it.
   * @returns null when the time was over.
   */
  match(text: string, limit: number, deadline: number): Promise<readonly LineMatch[] | null> {
    return new Promise((resolve, reject) => {
      if (this.ended !== null) {
        reject(this.ended);
        return;
      }
      const settle = (done: () => void): void => {
        clearTimeout(timer);
        this.worker.off('message', onMessage).off('exit', onExit);
        done();
      };
      const onMessage = (found: readonly LineMatch[]): void => settle(() => resolve(found));
      const onExit = (): void => settle(() => reject(this.ended ?? new Error('The search was ended.')));
      const timer = setTimeout(
        () => settle(() => void this.end().then(() => resolve(null), reject)),
        Math.max(0, deadline - Date.now()),
      );
      this.worker.once('message', onMessage).once('exit', onExit);
      this.worker.postMessage({ text, limit });
    });
  }

  /** Ends the thread, also in the midst of a match. */
  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
