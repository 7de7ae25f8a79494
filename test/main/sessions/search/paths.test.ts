import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSearch } from '../../../../src/main/sessions/search/query';
import { Search } from '../../../../src/main/sessions/search/search';
import { exportSession } from '../../../../src/main/sessions/transfer/export-session';
import { importSession } from '../../../../src/main/sessions/transfer/import-session';
import { humanTools } from '../../../../src/main/tools/registry';
import { type ActionTool, ToolError } from '../../../../src/main/tools/tool';
import { probe, type RunOptions, startRun, waitForRequests } from '../../../support/run';
import { openStore, type Store } from '../../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

/** A tool that would start `curl` with the address that it is given. */
const fetcher = (): ActionTool =>
  probe('fetcher', {
    prepare: async (inputText) => {
      const { url } = JSON.parse(inputText) as { url?: string };
      if (url === undefined) throw new ToolError('the address is missing');
      return {
        preview: {
          kind: 'command',
          argv: ['curl', url],
          cwd: '/ws',
          program: '/usr/bin/curl',
          environment: [],
          timeoutMs: 1_000,
          shell: false,
        },
        command: ['curl', url],
        cwd: '/ws',
        bound: {},
        program: '/usr/bin/curl',
        execute: async () => ({ content: 'zanzibar', isError: false }),
      };
    },
  }).tool;

const ADDRESS = 'https://example.org/quagga';
const once = [{ calls: [{ tool: 'fetcher', input: { url: ADDRESS } }] }, { say: 'Over.' }];
const twice = [...once.slice(0, 1), ...once];

/** What a search finds, by kind, oldest first. */
function find(query: string, of: Store = store): string[] {
  const parsed = parseSearch(query, Date.now());
  if (!parsed.ok) throw new Error(parsed.problem);
  const { hits } = new Search(of.database).find(parsed.query, { before: null, limit: 50 });
  return hits.map(({ type }) => type).reverse();
}

async function answered(type: 'approve' | 'decline', remember: 'session' | null = null): Promise<void> {
  const [request] = await waitForRequests(store);
  if (request === undefined) throw new Error('nothing asked');
  store.inbox.answer(request.id, request.digest, type === 'approve' ? { type, remember } : { type });
}

interface Path {
  readonly turns: unknown;
  readonly options?: RunOptions;
  readonly answer?: () => Promise<void>;
  /** What the words of the command find. */
  readonly words: readonly string[];
  /** What its label finds among that. */
  readonly labelled: readonly string[];
  /** The outcome of that call, and what it finds. */
  readonly outcome?: readonly [name: string, found: readonly string[]];
}

const ASKED = ['request_opened', 'request_settled'];

const PATHS: Readonly<Record<string, Path>> = {
  'asked and approved': {
    turns: once,
    answer: () => answered('approve'),
    words: [...ASKED, 'call_started'],
    labelled: [...ASKED, 'call_started'],
    outcome: ['approved', ['request_settled']],
  },
  'asked and declined': {
    turns: once,
    answer: () => answered('decline'),
    words: ASKED,
    labelled: ASKED,
    outcome: ['declined', ['request_settled']],
  },
  'run by a grant': {
    turns: twice,
    answer: () => answered('approve', 'session'),
    words: [...ASKED, 'call_started', 'call_started'],
    labelled: [...ASKED, 'call_started', 'call_started'],
  },
  'run in auto': {
    turns: once,
    options: { settings: { mode: 'auto' } },
    words: ['call_started'],
    labelled: ['call_started'],
  },
  'refused in readonly': {
    turns: once,
    options: { settings: { mode: 'readonly' } },
    words: ['tool_denied'],
    labelled: ['tool_denied'],
    outcome: ['readonly', ['tool_denied']],
  },
  'refused without an operator': {
    turns: once,
    options: { operator: false },
    words: ['tool_denied'],
    labelled: ['tool_denied'],
    outcome: ['no-operator', ['tool_denied']],
  },
  'wrong in itself': {
    turns: [{ calls: [{ tool: 'fetcher', input: { adress: ADDRESS } }] }, { say: 'Over.' }],
    words: ['call_result'],
    labelled: [],
    outcome: ['failed', ['call_result']],
  },
};

describe('a search finds a call that was', () => {
  for (const [name, { turns, options, answer, words, labelled, outcome }] of Object.entries(PATHS)) {
    it(`${name}, by its words and by each filter`, async () => {
      const { run } = startRun(store, turns, [fetcher()], options);
      await answer?.();
      expect(await run.ended).toBe('completed');
      const year = new Date().getFullYear();
      for (const filter of ['', 'tool:fetcher', 'agent:tester', 'state:completed', `on:${year}`]) {
        expect(find(`${filter} quagga`), filter).toEqual(words);
      }
      for (const filter of ['tool:shell', 'agent:nobody', 'state:failed', `until:${year - 1}`, 'label:deletes']) {
        expect(find(`${filter} quagga`), filter).toEqual([]);
      }
      expect(find('label:network quagga')).toEqual(labelled);
      if (outcome !== undefined) {
        expect(find(`outcome:${outcome[0]} quagga`)).toEqual(outcome[1]);
        expect(find(`outcome:${outcome[0] === 'expired' ? 'approved' : 'expired'} quagga`)).toEqual([]);
      }
      // What a command gave back is not searched.
      expect(find('zanzibar')).toEqual([]);
    });
  }

  it('stopped before anybody looked at it', async () => {
    const calls = [
      { tool: 'fetcher', input: { url: 'https://example.org/first' } },
      { tool: 'fetcher', input: { url: ADDRESS } },
    ];
    const { run } = startRun(store, [{ calls }, { say: 'Over.' }], [fetcher()]);
    await waitForRequests(store);
    run.stop();
    expect(await run.ended).toBe('stopped');
    expect(find('outcome:stopped tool:fetcher quagga')).toEqual(['tool_denied']);
  });

  it('of a tool that there is not, and a question that nobody could be asked', async () => {
    const calls = [
      { tool: 'fetchr', input: { url: ADDRESS } },
      { tool: 'ask_human_confirm', input: { question: 'May the gnu go?' } },
    ];
    const { run } = startRun(store, [{ calls }, { say: 'Over.' }], humanTools(), { operator: false });
    await run.ended;
    expect(find('outcome:failed tool:fetchr quagga')).toEqual(['call_result']);
    expect(find('outcome:no-operator tool:ask_human_confirm gnu')).toEqual(['call_result']);
  });

  it('taken in from a file, as it was found where it comes from', async () => {
    const { run, ref } = startRun(store, once, [fetcher()], { settings: { mode: 'readonly' } });
    await run.ended;
    const path = join(store.home, 'session.jsonl');
    await exportSession(store.database, { ...ref, format: 'jsonl', path, known: [] }, () => {});
    const other = await openStore();
    try {
      await importSession(other.database, path, () => {});
      expect(find('outcome:readonly label:network tool:fetcher curl quagga', other)).toEqual(['tool_denied']);
    } finally {
      await other.close();
    }
  });
});
