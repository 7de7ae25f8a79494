/** One way in which a known value can stand in a text. */
export interface Spelling {
  readonly text: string;
  /** How it is written, in words; empty where it stands as it is. */
  readonly how: string;
  /** Neighbouring characters, before and after, that hold a part of the value, too: base64 shares characters. */
  readonly before: number;
  readonly after: number;
}

/** Shorter than this a value's encodings are too short to be told from anything else, in bytes. */
const MIN_ENCODED_BYTES = 8;
/** Longer values are searched for as they are and in JSON; four times their length in encodings is not worth it. */
const MAX_ENCODED_BYTES = 16_384;

/** The value as it is and in the encodings that tools print without being asked: JSON, percent, base64, hexadecimal. */
export function spellings(value: string): Spelling[] {
  const all = new Map<string, Spelling>();
  const add = (text: string, how: string, before = 0, after = 0): void => {
    if (!all.has(text)) all.set(text, { text, how, before, after });
  };
  const bytes = Buffer.from(value, 'utf8');
  add(value, '');
  for (const text of inJson(value)) add(text, '');
  if (bytes.length >= MIN_ENCODED_BYTES && bytes.length <= MAX_ENCODED_BYTES) {
    for (const text of percentEncoded(bytes)) add(text, 'percent-encoded');
    for (const text of [bytes.toString('hex'), bytes.toString('hex').toUpperCase()]) add(text, 'hexadecimal');
    for (const lead of [0, 1, 2]) {
      const { inner, after } = base64Within(bytes, lead);
      add(inner, 'base64', lead === 0 ? 0 : 1, after);
      add(inner.replaceAll('+', '-').replaceAll('/', '_'), 'base64', lead === 0 ? 0 : 1, after);
    }
  }
  return [...all.values()];
}

/** As JSON.stringify once and twice, PHP (escaped slashes), Go (escaped <, > and &) and Python (escaped non-ASCII) write it. */
function inJson(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const asUnicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return [
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll('/', '\\/'),
    json.replace(/[<>&]/g, asUnicode),
    json.replace(/[^\0-\x7f]/g, asUnicode),
    json.replace(/[<>&=+']/g, asUnicode),
  ];
}

/** What RFC 3986, encodeURIComponent, encodeURI and a form leave as it is, in upper and in lower case. */
const UNRESERVED = [
  /[A-Za-z0-9\-._~]/,
  /[A-Za-z0-9\-._~!'()*]/,
  /[A-Za-z0-9\-._~!'()*;/?:@&=+$,#]/,
  /[A-Za-z0-9\-._*]/,
];

function percentEncoded(bytes: Buffer): string[] {
  return UNRESERVED.flatMap((unreserved) => {
    const upper = [...bytes]
      .map((byte) => {
        const character = String.fromCharCode(byte);
        return unreserved.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      })
      .join('');
    const lower = upper.replace(/%../g, (triplet) => triplet.toLowerCase());
    return [upper, lower, upper.replaceAll('%20', '+')];
  });
}

/**
 * The characters that stand for these bytes alone where `lead` bytes, modulo 3, are encoded before them. Whatever
 * comes before and after, these stay the same; the characters beside them hold bits of both neighbours.
 */
function base64Within(bytes: Buffer, lead: number): { inner: string; after: number } {
  const encoded = Buffer.concat([Buffer.alloc(lead), bytes]).toString('base64');
  const first = Math.ceil((lead * 8) / 6);
  const bits = (lead + bytes.length) * 8;
  return { inner: encoded.slice(first, Math.floor(bits / 6)), after: bits % 6 === 0 ? 0 : 1 };
}
