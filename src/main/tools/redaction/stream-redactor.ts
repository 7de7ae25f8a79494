import { cutAtEnd } from './cuts';
import { type Found, merged } from './placeholder';
import { LONGEST_KEY, openKey } from './private-keys';
import { type Redactor, replaced } from './redactor';

/** A line this long is not waited for any longer, in characters: its beginning is let go. */
const LONG_LINE = 4_096;
/** Of such a line this much is still held back; no token is longer than this and in a line without white space. */
const HELD_OF_LINE = 2_048;

/**
 * Redacts a text that arrives in pieces. Whole lines go on as soon as they are there; what may be the beginning of a
 * secret is held back until it is known, at most a private key's length or twice that of the longest known value.
 */
export class StreamRedactor {
  /** What was let go last, as it was: a secret that began there is still recognised. Then what is held back. */
  private buffer = '';
  /** How much of the buffer was let go. */
  private sent = 0;
  private readonly memory: number;
  private readonly patience: number;

  constructor(private readonly redactor: Redactor) {
    this.memory = Math.max(512, redactor.known.longest);
    this.patience = Math.max(LONGEST_KEY, 2 * redactor.known.longest);
  }

  /** Takes more of the text and gives what of it may be shown. */
  push(text: string): string {
    this.buffer += text;
    const boundary = this.boundary();
    return boundary === this.sent ? '' : this.release(boundary, this.redactor.find(this.buffer));
  }

  /** Gives the rest. After a cut, half a secret may stand at the end; it is removed as well. */
  end(ending: 'whole' | 'cut' = 'whole'): string {
    const halves = ending === 'cut' ? cutAtEnd(this.buffer, this.redactor.known) : [];
    return this.release(this.buffer.length, merged([...this.redactor.find(this.buffer), ...halves]));
  }

  /** Up to where nothing can still turn out to be a secret. */
  private boundary(): number {
    const { buffer, sent } = this;
    const line = Math.max(buffer.lastIndexOf('\n'), buffer.lastIndexOf('\r')) + 1;
    const long = buffer.length - Math.max(line, sent) > LONG_LINE;
    const safe = long ? buffer.length - HELD_OF_LINE : line;
    if (safe <= sent) return sent;
    const lines = buffer.slice(0, safe);
    const value = this.redactor.known.brokenOff(lines)?.start ?? safe;
    const waiting = Math.min(safe, value, sent + openKey(buffer.slice(sent, safe)));
    return Math.max(sent, buffer.length - waiting > this.patience ? safe : waiting);
  }

  private release(to: number, found: readonly Found[]): string {
    const across = found.find(({ start, end }) => start < to && end > to);
    let until = to;
    if (across !== undefined) {
      const grows = across.end === this.buffer.length && across.start > this.sent;
      until = grows && this.buffer.length - across.start <= this.patience ? across.start : across.end;
    }
    const shown = found
      .filter(({ start, end }) => end > this.sent && start < until)
      .map(({ start, end, what }) => ({ start: Math.max(start, this.sent) - this.sent, end: end - this.sent, what }));
    const text = replaced(this.buffer.slice(this.sent, until), shown);
    this.sent = until;
    const forgotten = Math.max(0, this.sent - this.memory);
    this.buffer = this.buffer.slice(forgotten);
    this.sent -= forgotten;
    return this.redactor.redact(text).text;
  }
}
