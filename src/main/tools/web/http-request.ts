import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../../approvals/digest';
import { perform } from '../computer/perform';
import { defineAction } from '../define-tool';
import { type ActionTool, ToolError } from '../tool';
import { answerText } from './answer-text';
import { checkUrl } from './check-url';
import { exchange } from './exchange';
import { parseUrl } from './parse-url';
import type { WebReach } from './reach';
import { reachWords } from './reach-words';
import { checkHeaders } from './request-headers';
import type { WebRequest } from './send';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const WITHOUT_BODY: readonly string[] = ['GET', 'HEAD'];
/** In bytes. More than this nobody reads before they approve it. */
const MAX_BODY = 1_048_576;

const input = z.strictObject({
  url: z.string().describe('An http:// or https:// address.'),
  method: z.enum(METHODS).optional().describe('Default: GET.'),
  headers: z.record(z.string(), z.string()).optional().describe('By name, one value each.'),
  body: z.string().optional().describe('Sent as it is, in UTF-8. Give its Content-Type among the headers.'),
});

/** The tool that sends any request. It exists only where the agent file says `http: true`, and is dangerous. */
export function httpRequestTool(reach: WebReach): ActionTool {
  return defineAction({
    name: 'http_request',
    description: `Sends one HTTP request and returns status, headers and text of the answer. Redirects are reported, not followed. ${reachWords(reach)}`,
    input,
    dangerous: true,
    keptBy: 'web-rules',
    async prepare({ url: address, method = 'GET', headers = {}, body = null }, context) {
      const url = parseUrl(address);
      checkUrl(url, reach.allowed);
      checkHeaders(headers);
      checkBody(method, body);
      const request: WebRequest = { method, url, headers, body };
      const sent = { method, url: url.href, headers, ...(body === null ? {} : { body }) };
      return {
        preview: {
          kind: 'arguments',
          rows: Object.entries(sent).map(([name, value]) => ({ name, value: inText(value) })),
        },
        command: [
          'http_request',
          method,
          url.href,
          ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
          ...(body === null ? [] : [body]),
        ],
        cwd: context.workspace,
        bound: { request: createHash('sha256').update(canonicalJson(sent)).digest('hex') },
        program: null,
        execute: (io) =>
          perform(io, async () => answerText(await exchange(request, reach, 'report', io.signal), 'all')),
      };
    },
  });
}

const inText = (value: string | object): string => (typeof value === 'string' ? value : JSON.stringify(value));

function checkBody(method: string, body: string | null): void {
  if (body === null) return;
  if (WITHOUT_BODY.includes(method)) throw new ToolError(`body: a ${method} request has none.`);
  const bytes = Buffer.byteLength(body, 'utf8');
  if (bytes > MAX_BODY) throw new ToolError(`body: ${bytes} bytes, and at most ${MAX_BODY} are sent.`);
}
