import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settlement } from '@shared/requests';
import { afterEach, describe, expect, it } from 'vitest';
import type { AskedQuestion, ToolIo } from '../../../../src/main/tools/tool';
import { behaving, type Servers, startServers } from '../../../support/mcp';
import { until } from '../../sandbox/helpers';
import { quietIo } from '../computer/helpers';

let servers: Servers | null = null;
afterEach(async () => {
  await servers?.close();
  servers = null;
});

const operator = (answer: NonNullable<Settlement['answer']>): Settlement => ({
  outcome: 'approved',
  by: 'operator',
  answer,
});

const EXPIRED: Settlement = { outcome: 'expired', by: 'clock' };

/** What the server is told when it asks with this schema and the operator settles like this; and what was asked. */
async function elicit(
  requestedSchema: object,
  settlement: Settlement | ((index: number) => Settlement),
  params: object = {},
) {
  servers = await startServers(behaving('elicit'));
  const asked: { question: AskedQuestion; name: string }[] = [];
  const ask: ToolIo['ask'] = async (question, name) => {
    asked.push({ question, name });
    return typeof settlement === 'function' ? settlement(asked.length - 1) : settlement;
  };
  const input = JSON.stringify({ words: JSON.stringify({ requestedSchema, ...params }) });
  const prepared = await servers.tool('elicit_say').prepare(input, servers.context);
  const { content } = await prepared.execute(quietIo({ ask }));
  return { told: JSON.parse(content), asked };
}

const object = (properties: object) => ({ type: 'object', properties });

describe('a question of a server', () => {
  it('says who asks, under a name of its own', async () => {
    const { asked } = await elicit(object({}), operator({ type: 'confirm', confirmed: true }));
    expect(asked).toEqual([
      {
        name: 'elicit elicitation',
        question: {
          question: 'The MCP server elicit asks, and gets your answer (never give it a secret): Which one?',
          form: { form: 'confirm' },
        },
      },
    ]);
  });

  it.each<[string, object, Settlement, object]>([
    ['nothing', {}, operator({ type: 'confirm', confirmed: true }), { action: 'accept', content: {} }],
    ['nothing', {}, operator({ type: 'confirm', confirmed: false }), { action: 'decline' }],
    [
      'yes or no',
      { sure: { type: 'boolean' } },
      operator({ type: 'confirm', confirmed: false }),
      { action: 'accept', content: { sure: false } },
    ],
    [
      'one of',
      { color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] } },
      operator({ type: 'select', selected: 1 }),
      { action: 'accept', content: { color: 'g' } },
    ],
    [
      'one of',
      { color: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] } },
      operator({ type: 'select', selected: null }),
      { action: 'decline' },
    ],
    [
      'a text',
      { name: { type: 'string' } },
      operator({ type: 'input', value: 'x' }),
      { action: 'accept', content: { name: 'x' } },
    ],
    [
      'a text',
      { name: { type: 'string', minLength: 3 } },
      operator({ type: 'input', value: 'x' }),
      { action: 'cancel' },
    ],
    ['a text', { name: { type: 'string' } }, operator({ type: 'input', value: null }), { action: 'decline' }],
    [
      'a number',
      { n: { type: 'integer', minimum: 1 } },
      operator({ type: 'input', value: ' 4 ' }),
      { action: 'accept', content: { n: 4 } },
    ],
    ['a number', { n: { type: 'integer' } }, operator({ type: 'input', value: '4.5' }), { action: 'cancel' }],
    ['a text', { name: { type: 'string' } }, { outcome: 'expired', by: 'clock' }, { action: 'cancel' }],
    ['a text', { name: { type: 'string' } }, { outcome: 'no-operator', by: 'app' }, { action: 'cancel' }],
    [
      'a text',
      { name: { type: 'string' } },
      { outcome: 'declined', by: 'operator', answer: { type: 'decline' } },
      { action: 'decline' },
    ],
  ])('for %s (%j) is answered by what the operator says, and by nothing else', async (_, properties, by, told) => {
    expect((await elicit(object(properties), by)).told).toEqual(told);
  });

  it.each<[string, object]>([
    ['too many things', Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}`, { type: 'boolean' }]))],
    [
      'a thing that cannot be asked, among others',
      { a: { type: 'boolean' }, b: { type: 'array', items: { type: 'string', enum: ['x'] } } },
    ],
    ['several of', { a: { type: 'array', items: { type: 'string', enum: ['x'] } } }],
    ['one of too many', { a: { type: 'string', enum: Array.from({ length: 26 }, (_, n) => `o${n}`) } }],
  ])('for %s is declined, and nobody is asked', async (_, properties) => {
    const { told, asked } = await elicit(object(properties), operator({ type: 'confirm', confirmed: true }));
    expect(told).toEqual({ action: 'decline' });
    expect(asked).toEqual([]);
  });

  it('for several things asks for one after the other, and tells the server all of it together', async () => {
    const schema = {
      type: 'object',
      properties: {
        force: { type: 'boolean', title: 'Force it?' },
        branch: { type: 'string' },
        note: { type: 'string' },
      },
      required: ['force', 'branch'],
    };
    const answers: Settlement[] = [
      operator({ type: 'confirm', confirmed: false }),
      operator({ type: 'input', value: 'main' }),
      operator({ type: 'input', value: null }),
    ];
    const { told, asked } = await elicit(schema, (index) => answers[index] ?? EXPIRED);
    expect(told).toEqual({ action: 'accept', content: { force: false, branch: 'main' } });
    expect(asked.map(({ question }) => question.form.form)).toEqual(['confirm', 'input', 'input']);
    expect(asked[0]?.question.question).toMatch(/Force it\? \(1 of 3\)$/);
    expect(asked[2]?.question.question).toMatch(/may be left out/);
  });

  it('for several things tells the server nothing when one that it needs is not answered, and asks no further', async () => {
    const { told, asked } = await elicit(
      { ...object({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } }), required: ['a', 'b', 'c'] },
      (index) => (index === 0 ? operator({ type: 'input', value: 'secret?' }) : EXPIRED),
    );
    expect(told).toEqual({ action: 'cancel' });
    expect(asked).toHaveLength(2);
  });

  it('that would send the operator to a web page is refused', async () => {
    const url = { mode: 'url', elicitationId: '1', url: 'https://example.com' };
    const { told, asked } = await elicit(object({}), operator({ type: 'confirm', confirmed: true }), url);
    expect(told).toMatchObject({ code: -32602 });
    expect(asked).toEqual([]);
  });
});

it('a server that asks without having been called is declined, and nobody is asked', async () => {
  servers = await startServers(behaving('elicit-unasked', 'answer.json'));

  const file = join(servers.workspace, 'answer.json');
  await until(async () => (await readFile(file, 'utf8').catch(() => '')) !== '', 'it was answered');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ action: 'decline' });
});
