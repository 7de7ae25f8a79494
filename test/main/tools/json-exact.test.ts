import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH, MAX_JSON_LENGTH, parseJsonExact, toPlain } from '../../../src/main/tools/json-exact';
import { ToolError } from '../../../src/main/tools/tool';

describe('parseJsonExact', () => {
  it('reads what JSON.parse reads, whatever the value and its spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, 4, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        if (/\p{Surrogate}/u.test(text) || text.includes('\\ud')) return;
        expect(toPlain(parseJsonExact(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses exactly the texts that JSON.parse refuses, but for what it is stricter about', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"a"',
      '"b"',
      ':',
      ',',
      '1',
      '-',
      '.5',
      'e3',
      'true',
      'null',
      ' ',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        let standard = true;
        try {
          JSON.parse(text);
        } catch {
          standard = false;
        }
        let error: unknown;
        try {
          parseJsonExact(text);
        } catch (caught) {
          error = caught;
        }
        if (!standard) expect(error).toBeInstanceOf(ToolError);
        else if (error !== undefined) expect(String(error)).toContain('stands twice');
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['9007199254740993', '-0', '1.10', '1E+2', '0.1e-7', '123456789012345678901234567890'])(
    'keeps the spelling of %s',
    (text) => {
      expect(parseJsonExact(`[${text}]`)).toEqual({ type: 'array', items: [{ type: 'number', text }] });
    },
  );

  it('keeps the order of keys, those that look like array indices included', () => {
    const node = parseJsonExact('{"b":1,"2":2,"1":3,"__proto__":4}');
    expect(node.type === 'object' && node.entries.map(([key]) => key)).toEqual(['b', '2', '1', '__proto__']);
  });

  it('makes __proto__ an ordinary key', () => {
    const plain = toPlain(parseJsonExact('{"__proto__":{"polluted":true}}')) as Record<string, unknown>;
    expect(Object.keys(plain)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect(plain.polluted).toBeUndefined();
  });

  it.each([
    ['', 'the end'],
    ['{"a":1} x', 'after the end'],
    ['{"a":1}{}', 'after the end'],
    ['{"a":1,"a":2}', 'the key "a" stands twice'],
    ['{"a":1,"\\u0061":2}', 'the key "a" stands twice'],
    ['{"a":{"b":1,"b":1}}', 'the key "b" stands twice'],
    ['{a:1}', 'double quotes'],
    ["{'a':1}", 'double quotes'],
    ['{"a":1,}', 'double quotes'],
    ['[1,]', 'expected a value'],
    ['[1 2]', 'expected "," or "]"'],
    ['{"a" 1}', 'expected ":"'],
    ['01', 'after the end'],
    ['+1', 'expected a value'],
    ['.5', 'expected a value'],
    ['NaN', 'expected a value'],
    ['nul', 'expected a value'],
    ['"abc', 'ends inside a string'],
    ['"a\nb"', 'control character (U+000A)'],
    ['"\\x41"', 'no escape'],
    ['"\\u00g0"', 'four hexadecimal digits'],
    ['"\\ud800"', 'Unicode'],
    ['"\\udc00\\ud800"', 'Unicode'],
    ['{"\\ud83d":1}', 'Unicode'],
    ['"\ud800"', 'Unicode'],
    ['\ufeff{}', 'expected a value'],
    ['{} // done', 'after the end'],
  ])('refuses %j', (text, message) => {
    expect(() => parseJsonExact(text)).toThrow(ToolError);
    expect(() => parseJsonExact(text)).toThrow(message);
  });

  it('joins a surrogate pair that was written as two escapes', () => {
    expect(parseJsonExact('"\\ud83d\\ude00"')).toEqual({ type: 'string', value: '😀' });
  });

  it('reads up to its depth and no deeper', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJsonExact(nested(MAX_JSON_DEPTH)).type).toBe('array');
    expect(() => parseJsonExact(nested(MAX_JSON_DEPTH + 1))).toThrow('nested deeper');
    expect(() => parseJsonExact('['.repeat(1_000_000))).toThrow('nested deeper');
  });

  it('refuses a text beyond its length', () => {
    expect(() => parseJsonExact(`"${'a'.repeat(MAX_JSON_LENGTH)}"`)).toThrow('too long');
  });

  it('refuses a number that no double can hold when it is made plain', () => {
    expect(() => toPlain(parseJsonExact('1e999'))).toThrow('too large');
  });
});
