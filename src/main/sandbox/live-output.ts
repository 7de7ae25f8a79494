import { OUTPUT_LIMIT } from './capture';

/** Output that arrives within this time is reported together, in milliseconds: faster than anyone reads. */
export const LIVE_INTERVAL_MS = 50;
/** The same once only the count goes on, in milliseconds: each report may become an event of the journal. */
const COUNT_INTERVAL_MS = 500;

/**
 * Reports output while it arrives, as text that is cut only between characters: at most one report in
 * LIVE_INTERVAL_MS and, over the whole command, the text of at most OUTPUT_LIMIT bytes. After that only the count goes
 * on, with empty text, so that a flood costs the journal and the window nothing.
 */
export class LiveOutput {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private pending = '';
  private total = 0;
  private reported = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly report: (text: string, totalBytes: number) => void) {}

  push(chunk: Buffer): void {
    const room = OUTPUT_LIMIT - this.total;
    if (room > 0) this.pending += this.decoder.decode(chunk.subarray(0, room), { stream: true });
    this.total += chunk.length;
    const onlyCounts = room <= 0 && this.pending === '';
    this.timer ??= setTimeout(() => this.flush(), onlyCounts ? COUNT_INTERVAL_MS : LIVE_INTERVAL_MS);
  }

  /** Reports what is left; nothing is reported after this. */
  end(): void {
    if (this.total <= OUTPUT_LIMIT) this.pending += this.decoder.decode();
    this.flush();
  }

  private flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.total === this.reported && this.pending === '') return;
    const text = this.pending;
    this.pending = '';
    this.reported = this.total;
    this.report(text, this.total);
  }
}
