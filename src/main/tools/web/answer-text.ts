import { OutputCapture } from '../../sandbox/capture';
import type { WebAnswer } from './exchange';
import { decodeText, isHtml } from './media-type';

/**
 * What the model is told of an answer. JSON, so that nothing in a stranger's text can be taken for what Sayso says of it.
 * A status that means failure is an answer like any other.
 * @param headers `all`: also the answer's headers, but for cookies
 */
export function answerText(answer: WebAnswer, headers: 'all' | 'none'): string {
  const type = answer.headers['content-type'];
  const { body, truncated, notes } = shownBody(answer);
  return JSON.stringify({
    url: answer.url.href,
    ...(answer.redirectedFrom.length === 0 ? {} : { redirected_from: answer.redirectedFrom }),
    status: answer.status,
    content_type: type ?? null,
    ...(headers === 'all' ? { headers: withoutCookies(answer.headers) } : {}),
    body,
    truncated,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  });
}

function shownBody({ headers, body }: WebAnswer) {
  if (body === null) return unreadable(`${headers['content-length'] ?? 'an unknown number of'} bytes`);
  const type = headers['content-type'];
  const text = decodeText(body.bytes, type);
  if (text.includes('\0')) return unreadable(`${body.bytes.length} bytes${body.cut ? ' and more' : ''}`);
  const capture = new OutputCapture();
  capture.push(Buffer.from(text, 'utf8'));
  const shown = capture.result();
  const notes = [
    ...(isHtml(type) ? ['The HTML is shown as it came.'] : []),
    ...(body.cut ? [`Only the first ${body.bytes.length} bytes were read.`] : []),
  ];
  return { body: shown.text, truncated: shown.truncated || body.cut, notes };
}

const unreadable = (size: string) => ({
  body: null,
  truncated: false,
  notes: [`The answer is not text and is left out: ${size}.`],
});

function withoutCookies({ 'set-cookie': _, ...headers }: WebAnswer['headers']): WebAnswer['headers'] {
  return headers;
}
