import { ToolError } from '../tool';

const MAX_HEADERS = 50;
/** Of all names and values together, in characters. Servers take about as much. */
const MAX_LENGTH = 16_384;

/** Headers that say how the connection works, or who is asking: Sayso sets them itself, or nobody does. */
const RESERVED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'accept-encoding',
  'user-agent',
]);

/** No credentials are sent: a session's cookie or a token would make the request somebody's, not the agent's. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'cookie2', 'set-cookie']);

/**
 * Checks the headers that a model wrote.
 * @throws ToolError that says what is wrong
 */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw new ToolError(`headers: at most ${MAX_HEADERS}.`);
  if (entries.reduce((length, entry) => length + entry.join('').length, 0) > MAX_LENGTH) {
    throw new ToolError(`headers: longer than ${MAX_LENGTH} characters together.`);
  }
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    const problem = headerProblem(name, value);
    if (problem !== null) throw new ToolError(`headers: ${JSON.stringify(name.slice(0, 100))} ${problem}.`);
    const key = name.toLowerCase();
    if (seen.has(key)) throw new ToolError(`headers: ${name} is given twice.`);
    seen.add(key);
  }
}

function headerProblem(name: string, value: string): string | null {
  const key = name.toLowerCase();
  // Narrower than the standard: programs behind a server take an underscore for a dash.
  if (!/^[a-z0-9-]+$/.test(key)) return 'is no name of a header: write letters, digits and dashes';
  if (CREDENTIALS.has(key) || key.startsWith('proxy-')) return 'is not sent: requests carry no credentials';
  if (RESERVED.has(key)) return 'is set by Sayso itself';
  if (!/^[\t\x20-\x7e]*$/.test(value)) return 'has a value with a line break or another character that is not ASCII';
  return value === value.trim() ? null : 'has a value that begins or ends with white space';
}
