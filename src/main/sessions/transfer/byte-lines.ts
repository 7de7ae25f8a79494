/** Of a line that holds an event: far more than any has, and less than would not fit into memory. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

const NEWLINE = 0x0a;

export interface ByteLine {
  /** Exactly as it stands in the file, without its end. */
  readonly bytes: Buffer;
  /** `cut`: the file ends before the line does. `long`: it is longer than any line of ours; this is its beginning. */
  readonly end: 'newline' | 'cut' | 'long';
}

/**
 * The lines of a file as bytes. A line ends at a newline and nowhere else: what a reader of text takes for one, and what
 * it puts in place of bytes that are no text, would hide that a byte was changed.
 */
export async function* byteLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<ByteLine> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      held.push(chunk.subarray(from, at));
      yield { bytes: Buffer.concat(held), end: 'newline' };
      held = [];
      length = 0;
      from = at + 1;
    }
    held.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES) {
      yield { bytes: Buffer.concat(held), end: 'long' };
      return;
    }
  }
  if (length > 0) yield { bytes: Buffer.concat(held), end: 'cut' };
}
