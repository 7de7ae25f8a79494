import { z } from 'zod';
import { perform } from '../computer/perform';
import { argumentsPreview, defineAction } from '../define-tool';
import type { ActionTool } from '../tool';
import { answerText } from './answer-text';
import { checkUrl } from './check-url';
import { exchange } from './exchange';
import { parseUrl } from './parse-url';
import type { WebReach } from './reach';
import { reachWords } from './reach-words';

const input = z.strictObject({
  url: z.string().describe('An http:// or https:// address.'),
});

/** The tool that looks at one address. It sends nothing but a GET, and runs without asking. */
export function fetchUrlTool(reach: WebReach): ActionTool {
  return defineAction({
    name: 'fetch_url',
    description: `Gets one address of the web and returns its text; HTML comes as it is. Follows redirects. ${reachWords(reach)}`,
    input,
    dangerous: false,
    keptBy: 'web-rules',
    async prepare(given, context) {
      const url = parseUrl(given.url);
      checkUrl(url, reach.allowed);
      return {
        preview: argumentsPreview(input, { url: url.href }),
        command: ['fetch_url', url.href],
        cwd: context.workspace,
        bound: {},
        program: null,
        execute: (io) =>
          perform(io, async () => {
            const request = { method: 'GET', url, headers: {}, body: null };
            return answerText(await exchange(request, reach, 'follow', io.signal), 'none');
          }),
      };
    },
  });
}
