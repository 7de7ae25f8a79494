import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { FloodGate, MAX_MESSAGE_BYTES } from './flood-gate';
import { ServerError } from './server';

/** Lines that are no messages: many a server prints a greeting, but none talks on. */
const MAX_STRAY_LINES = 100;

const LINE_FEED = 0x0a;

/** What a transport needs of a process. */
export interface LineStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/**
 * MCP over stdin and stdout of a process, one message a line. Bounded in everything: the length of a line, how much
 * comes at all, and how much waits for a server that does not read.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  private readonly gate = new FloodGate();
  private line: Buffer[] = [];
  private length = 0;
  private strayLines = 0;
  private closed = false;

  /** @param onBroken called once, when the server does what no server may; the transport is closed by then. */
  constructor(
    private readonly streams: LineStreams,
    private readonly onBroken: (why: string) => void,
  ) {}

  async start(): Promise<void> {
    this.streams.stdout.on('data', this.read);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.streams;
    if (this.closed || !stdin.writable) throw new ServerError('the connection to the server is closed');
    if (stdin.writableLength > MAX_MESSAGE_BYTES) throw new ServerError('the server does not read what it is sent');
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.line = [];
    this.streams.stdout.off('data', this.read);
    // What it still prints is read and thrown away, so that it is not kept from ending.
    this.streams.stdout.resume();
    this.onclose?.();
  }

  private readonly read = (chunk: Buffer): void => {
    const flood = this.gate.data(chunk.length);
    if (flood !== null) this.fail(flood);
    let from = 0;
    while (!this.closed) {
      const end = chunk.indexOf(LINE_FEED, from);
      this.keep(chunk.subarray(from, end === -1 ? undefined : end));
      if (end === -1) return;
      this.take();
      from = end + 1;
    }
  };

  private keep(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > MAX_MESSAGE_BYTES) this.fail(`sent a message of more than ${MAX_MESSAGE_BYTES >> 20} MiB`);
    else if (piece.length > 0) this.line.push(piece);
  }

  private take(): void {
    // Empty lines count as well: nothing may cost the app more than it is counted for.
    const flood = this.gate.message();
    if (flood !== null) this.fail(flood);
    const text = Buffer.concat(this.line).toString('utf8').trim();
    this.line = [];
    this.length = 0;
    if (text === '' || this.closed) return;
    const message = parseMessage(text);
    if (message !== null) this.onmessage?.(message);
    else if (++this.strayLines > MAX_STRAY_LINES) this.fail('sent too much that is no MCP message');
  }

  private fail(why: string): void {
    if (this.closed) return;
    void this.close();
    this.onBroken(why);
  }
}

function parseMessage(text: string): JSONRPCMessage | null {
  try {
    const message = JSONRPCMessageSchema.safeParse(JSON.parse(text));
    return message.success ? message.data : null;
  } catch {
    // No JSON, or nested deeper than the stack: either way no message, and counted as such.
    return null;
  }
}
