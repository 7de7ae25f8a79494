/** Up to here output is kept verbatim, in bytes (semantics: the child process). */
export const OUTPUT_LIMIT = 65_536;
/** Of longer output this much of the beginning, and as much of the end, is kept, in bytes. */
export const OUTPUT_EDGE = 32_768;

export interface CapturedOutput {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Keeps what a command prints, in bounded memory however much it is. Bytes that are not UTF-8 become U+FFFD as the
 * Encoding Standard prescribes, so the same bytes always give the same text.
 */
export class OutputCapture {
  private readonly head = Buffer.alloc(OUTPUT_LIMIT);
  private readonly tail = Buffer.alloc(OUTPUT_EDGE);
  private total = 0;

  /** Bytes printed so far. */
  get totalBytes(): number {
    return this.total;
  }

  push(chunk: Buffer): void {
    if (this.total < OUTPUT_LIMIT) chunk.copy(this.head, this.total);
    // A ring: the byte with stream position p stands at p modulo its size.
    const kept = chunk.subarray(Math.max(0, chunk.length - OUTPUT_EDGE));
    const start = (this.total + chunk.length - kept.length) % OUTPUT_EDGE;
    const fitting = Math.min(kept.length, OUTPUT_EDGE - start);
    kept.copy(this.tail, start, 0, fitting);
    kept.copy(this.tail, 0, fitting);
    this.total += chunk.length;
  }

  /** What was printed: verbatim up to OUTPUT_LIMIT, else both ends and, between them, how many bytes are missing. */
  result(): CapturedOutput {
    if (this.total <= OUTPUT_LIMIT) return { text: decode(this.head.subarray(0, this.total)), truncated: false };
    const split = this.total % OUTPUT_EDGE;
    const ring = Buffer.concat([this.tail.subarray(split), this.tail.subarray(0, split)]);
    const first = withoutPartialEnd(this.head.subarray(0, OUTPUT_EDGE));
    const last = withoutPartialStart(ring);
    const missing = this.total - first.length - last.length;
    return { text: `${decode(first)}\n[... ${missing} bytes missing ...]\n${decode(last)}`, truncated: true };
  }
}

function decode(bytes: Uint8Array): string {
  // A byte order mark is part of what was printed.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0) return lead <= 0xef ? 3 : 1;
  return lead >= 0xc2 ? 2 : 1;
}

function withoutPartialEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function withoutPartialStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}
