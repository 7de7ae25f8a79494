import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Block, Blocks } from '../../../src/main/sessions/transfer/blocks';
import { prose } from '../../../src/main/sessions/transfer/html-text';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const TWO = [
  {
    say: 'Both.',
    calls: [
      { tool: 'edit', input: { n: 1 } },
      { tool: 'edit', input: { n: 2 } },
    ],
  },
  { say: 'Done.' },
];

function blocksOf(run: ReturnType<typeof startRun>): Block[] {
  const blocks = new Blocks();
  const { events } = store.reader.events({ sessionId: run.ref.sessionId, from: { at: 'end' }, limit: 1_000 });
  return [...events.flatMap((event) => blocks.add(event)), ...blocks.end()];
}
const seen = (blocks: readonly Block[]) =>
  blocks.map((block) =>
    block.kind === 'call' ? [block.tool, block.tone, ...block.marks.map(({ words }) => words)] : block.is,
  );

describe('an exported timeline', () => {
  it('has each call once, in its place, with what became of it', async () => {
    const run = startRun(store, TWO, [probe('edit', { run: async () => 'edited' }).tool]);
    const [first] = await waitForRequests(store);
    if (first === undefined) throw new Error('nothing asked');
    store.inbox.answer(first.id, first.digest, { type: 'approve', remember: null });
    let [second] = await waitForRequests(store);
    while (second === undefined || second.id === first.id) {
      await new Promise((resolve) => setImmediate(resolve));
      [second] = await waitForRequests(store);
    }
    store.inbox.answer(second.id, second.digest, { type: 'decline', reason: 'not now' });
    await run.run.ended;
    const blocks = blocksOf(run);
    expect(seen(blocks)).toEqual([
      'run-started',
      'you',
      'agent',
      ['edit', 'ok', expect.stringMatching(/^approved by you · \d/)],
      ['edit', 'bad', 'declined by you · “not now”'],
      'agent',
      'run-ended',
    ]);
    expect(blocks[3]).toMatchObject({ outputs: [{ text: 'edited' }], facts: ['why: mode ask', 'in: /ws'] });
  });

  it('says of a call that its run left behind what it then is', async () => {
    const run = startRun(store, TWO, [probe('edit').tool]);
    await waitForRequests(store);
    run.run.interrupt();
    await run.run.ended;
    expect(seen(blocksOf(run))).toEqual([
      'run-started',
      'you',
      'agent',
      ['edit', 'stop', 'interrupted: no decision was made'],
      ['edit', 'stop', 'not run: the run ended before'],
      'run-ended',
    ]);
  });
});

describe('what a model wrote, on a page', () => {
  it('has its code and what is bold, and nothing else that is markup', () => {
    expect(prose('**Look**: `a < b`\n```js\n<script>\n```\n<img src=x> [x](https://example.org)')).toBe(
      '<div><b>Look</b>: <code>a &lt; b</code></div><pre>&lt;script&gt;</pre>' +
        '<div>&lt;img src=x&gt; [x](https://example.org)</div>',
    );
  });
});
