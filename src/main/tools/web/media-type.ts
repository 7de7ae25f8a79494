const TEXT =
  /^(?:text\/.+|application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|ndjson|jsonl|graphql|sql|x-sh|x-www-form-urlencoded)|.+\+(?:json|xml|yaml))$/;

/** Without parameters, in lower case; '' where there is none. */
const essence = (contentType: string | undefined): string => contentType?.split(';')[0]?.trim().toLowerCase() ?? '';

/** Whether an answer of this content type is worth reading as text. One that says nothing of itself may be. */
export function isText(contentType: string | undefined): boolean {
  const type = essence(contentType);
  return type === '' || TEXT.test(type);
}

export const isHtml = (contentType: string | undefined): boolean =>
  ['text/html', 'application/xhtml+xml'].includes(essence(contentType));

/**
 * Bytes as text, in the charset that the content type names; UTF-8 where it names none, or one that is not known. What
 * is not valid in it becomes U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  return decoder(charset).decode(bytes);
}

function decoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('utf-8');
  }
}
