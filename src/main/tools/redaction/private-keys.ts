import type { Found } from './placeholder';

export const PRIVATE_KEY = 'private key';

/** The longest private key that is looked at as one, in characters: RSA with 16,384 bits takes 12,800. */
export const LONGEST_KEY = 16_384;

/** RFC 7468, OpenSSH and OpenPGP label their armour alike. */
const EDGE = /-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** One line of a key's body: base64 or an armour header, also behind a diff's, a quotation's or a line number's mark. */
const BODY =
  /^[ \t>|+#*"'-]{0,12}(?:\d{1,6}[ \t:|]{1,4})?(?:([A-Za-z0-9+/]+={0,3})|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID):.{0,200})?[ \t\\"',;)]{0,12}$/;

/** This much base64 in one go is the body of a key; less is a placeholder or program text about keys. */
const MATERIAL = /[A-Za-z0-9+/]{32}/;
/** The same where a key was cut off, which may leave little of it. */
const MIN_CUT_MATERIAL = 16;
/** Lines of base64 this wide or wider before an END belong to the key. */
const MIN_BODY_WIDTH = 60;

/** Private keys in PEM and similar armour, also those whose beginning or end was cut off. */
export function privateKeys(text: string): Found[] {
  const found: Found[] = [];
  const edges = [...text.matchAll(EDGE)];
  for (const [at, edge] of edges.entries()) {
    const start = edge.index;
    const after = start + edge[0].length;
    const next = edges[at + 1];
    const previous = edges[at - 1];
    if (edge[1] === 'BEGIN') {
      const closed = next?.[1] === 'END' && next.index - after <= LONGEST_KEY;
      if (closed && MATERIAL.test(text.slice(after, next.index))) {
        found.push({ start, end: next.index + next[0].length, what: PRIVATE_KEY });
      } else if (!closed) {
        const end = endOfBody(text, after, next?.index ?? text.length);
        if (end !== null) found.push({ start, end, what: PRIVATE_KEY });
      }
    } else if (previous?.[1] !== 'BEGIN' || start - previous.index > LONGEST_KEY) {
      const from = startOfBody(text, start, previous === undefined ? 0 : previous.index + previous[0].length);
      if (from < start) found.push({ start: from, end: after, what: PRIVATE_KEY });
    }
  }
  return found;
}

/**
 * Where a private key begins that more text may go on with: a key without its end, or lines that an END may follow.
 * The length of the text if there is none.
 */
export function openKey(text: string): number {
  const edges = [...text.matchAll(EDGE)];
  const last = edges.at(-1);
  if (last?.[1] === 'BEGIN') return last.index;
  const halfEdge = text.lastIndexOf('-----BEGIN');
  const open = halfEdge >= 0 && text.length - halfEdge < 80 && !text.slice(halfEdge).includes('\n') ? halfEdge : null;
  return open ?? startOfBody(text, text.length, last === undefined ? 0 : last.index + last[0].length);
}

/** Where the body that begins at `from` ends, at most at `limit`; null where too little of one stands there. */
function endOfBody(text: string, from: number, limit: number): number | null {
  let end = from;
  let material = 0;
  let width = 0;
  for (let at = from; at < limit && at - from <= LONGEST_KEY; ) {
    const lineEnd = endOfLine(text, at, limit);
    const line = text.slice(at, Math.min(lineEnd, at + LONGEST_KEY));
    const match = BODY.exec(line.trimEnd());
    if (match === null) break;
    const base64 = match[1]?.length ?? 0;
    if (base64 > 0) {
      end = at + line.trimEnd().length;
      material += base64;
      // All lines but the last are equally long: what follows a shorter one is something else.
      if (width > 0 && base64 < width) break;
      width = base64;
    }
    at = lineEnd + 1;
  }
  return material >= MIN_CUT_MATERIAL ? end : null;
}

/** Where the lines of base64 begin that end at `to`, not before `limit`; `to` if they are not the body of a key. */
function startOfBody(text: string, to: number, limit: number): number {
  let start = to;
  let end = to;
  let wide = false;
  let material = 0;
  while (end > limit && to - start <= LONGEST_KEY) {
    const begin = Math.max(limit, text.lastIndexOf('\n', end - 1) + 1);
    const match = BODY.exec(text.slice(Math.max(begin, end - LONGEST_KEY), end).trimEnd());
    if (match === null) break;
    const base64 = match[1]?.length ?? 0;
    // Only the key's last line may be short, and the one that a cut has left.
    const cut = begin === limit || /\]\s{1,4}$/.test(text.slice(Math.max(0, begin - 4), begin));
    const short = base64 < MIN_BODY_WIDTH;
    if (base64 > 0) {
      if (short && wide && !cut) break;
      start = begin;
      material += base64;
      if (!short || (cut && material >= MIN_CUT_MATERIAL)) wide = true;
      if (cut) break;
    }
    end = begin - 1;
  }
  return wide ? start : to;
}

function endOfLine(text: string, from: number, limit: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 || newline > limit ? limit : newline;
}
