import { expect, test } from 'vitest';
import { argumentsText, fieldsOf } from '../../src/renderer/agents/form-fields';

const fields = fieldsOf({
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: ['string', 'number'], description: 'A name' },
    count: { type: 'integer' },
    force: { type: 'boolean' },
    state: { type: 'string', enum: ['on', 'off'] },
    labels: { type: 'array', items: { type: ['string', 'number'] } },
    header: { type: 'object', additionalProperties: { type: 'string' } },
    deep: { type: 'object', properties: { a: { type: 'string' } } },
  },
});

test('each argument is asked for as its schema says', () => {
  expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
    ['name', 'text', true],
    ['count', 'number', false],
    ['force', 'boolean', false],
    ['state', 'choice', false],
    ['labels', 'list', false],
    ['header', 'map', false],
    ['deep', 'json', false],
  ]);
});

test('only what was filled in becomes an argument, and numbers keep their digits', () => {
  const values = {
    name: 'a "quote"',
    count: '9007199254740993',
    force: 'false',
    labels: 'one\n\ntwo three',
    header: 'a=b=c\nd',
    deep: '{"a":"x"}',
  };
  expect(argumentsText(fields, values)).toBe(
    '{"name":"a \\"quote\\"","count":9007199254740993,"force":false,"labels":["one","two three"],"header":{"a":"b=c","d":""},"deep":{"a":"x"}}',
  );
  expect(argumentsText(fields, {})).toBe('{}');
});
