/** What a server may send within one window. A lively server sends a hundredth of it. */
export interface FloodLimits {
  readonly windowMs: number;
  readonly messages: number;
  readonly bytes: number;
}

export const FLOOD_LIMITS: FloodLimits = { windowMs: 10_000, messages: 5_000, bytes: 64 * 1024 * 1024 };

/** In bytes, of one message. A result is cut to 64 KiB in the end; this is what may be read to get there. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** Counts what a server sends, so that one that floods is ended before it takes the app's time. */
export class FloodGate {
  private windowBegan = performance.now();
  private messages = 0;
  private bytes = 0;

  constructor(private readonly limits: FloodLimits = FLOOD_LIMITS) {}

  /** @returns why it is too much, in words that follow the server's name; null while it is not. */
  message(): string | null {
    this.turn();
    this.messages += 1;
    const { messages, windowMs } = this.limits;
    return this.messages > messages ? `sent more than ${messages} messages within ${windowMs / 1_000} s` : null;
  }

  /** The same for bytes. */
  data(bytes: number): string | null {
    this.turn();
    this.bytes += bytes;
    const { windowMs, bytes: most } = this.limits;
    return this.bytes > most ? `sent more than ${most >> 20} MiB within ${windowMs / 1_000} s` : null;
  }

  private turn(): void {
    const now = performance.now();
    if (now - this.windowBegan < this.limits.windowMs) return;
    this.windowBegan = now;
    this.messages = 0;
    this.bytes = 0;
  }
}
