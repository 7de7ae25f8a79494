import { describe, expect, it } from 'vitest';
import { parseArguments, parseArgumentsExact, refuseNul } from '../../../src/main/tools/json-arguments';
import { ToolError } from '../../../src/main/tools/tool';

describe('arguments of a call', () => {
  it.each(['', ' \n', 'null', ' null ', '{}'])('takes %j as no arguments', (text) => {
    expect(parseArguments(text)).toEqual({});
  });

  it.each([
    ['[]', 'an array'],
    ['"x"', 'a string'],
    ['1', 'a number'],
    ['true', 'a boolean'],
  ])('refuses %s', (text, type) => {
    expect(() => parseArguments(text)).toThrow(`must be a JSON object, not ${type}`);
  });

  it('keeps digits for those who need them', () => {
    expect(parseArgumentsExact('{"n":9007199254740993}').entries).toEqual([
      ['n', { type: 'number', text: '9007199254740993' }],
    ]);
  });

  it('refuses NUL with the name of the argument', () => {
    expect(() => refuseNul('path', 'a\0b')).toThrow(ToolError);
    expect(() => refuseNul('path', 'a\0b')).toThrow('path holds a NUL');
  });
});
