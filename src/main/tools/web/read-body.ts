import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { ToolError } from '../tool';

export interface WebBody {
  readonly bytes: Buffer;
  /** There is more, which was not read. */
  readonly cut: boolean;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

/**
 * Reads an answer's body and decompresses it, and stops where it gets too large: memory stays bounded however much is
 * sent, and however much that would become.
 * @param limit in bytes
 * @throws ToolError where it is compressed in a way that is not known, or does not shrink by it
 */
export async function readBody(response: IncomingMessage, limit: number): Promise<WebBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of decoded(response, limit) as AsyncIterable<Buffer>) {
    const rest = limit - length;
    chunks.push(chunk.subarray(0, rest));
    length += Math.min(chunk.length, rest);
    // Leaving the loop ends the connection.
    if (chunk.length > rest) return { bytes: Buffer.concat(chunks), cut: true };
  }
  return { bytes: Buffer.concat(chunks), cut: false };
}

function decoded(response: IncomingMessage, limit: number): AsyncIterable<Uint8Array> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return response;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decoder === undefined) {
    throw new ToolError(
      `The answer is compressed as ${JSON.stringify(encoding.slice(0, 50))}, which is not supported.`,
    );
  }
  // The reader of the last stream is told of what goes wrong in any of them.
  return pipeline(
    response,
    (source: AsyncIterable<Buffer>) => bounded(source, limit),
    decoder(),
    () => undefined,
  );
}

/** A compressed text can be endless and stand for nothing at all. */
async function* bounded(source: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of source) {
    length += chunk.length;
    if (length > limit) throw new ToolError(`The answer is larger than ${limit} bytes while it is compressed.`);
    yield chunk;
  }
}
