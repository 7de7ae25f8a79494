import { describe, expect, it } from 'vitest';
import { type BuiltArgv, buildArgv } from '../../../../src/main/tools/command/build-argv';
import { CommandDescription } from '../../../../src/main/tools/command/description';
import vectors from '../../../vectors/argv.json';

interface Case {
  readonly name: string;
  readonly command: unknown;
  readonly input: unknown;
  readonly argv?: readonly string[];
  readonly error?: string;
}

const textOf = (input: unknown) => (typeof input === 'string' ? input : JSON.stringify(input));
const errorOf = (built: BuiltArgv) => (built.ok ? null : built.error);

function build(command: unknown, input: unknown): BuiltArgv {
  return buildArgv(CommandDescription.parse(command), textOf(input));
}

describe('the vectors', () => {
  it.each(vectors.cases as readonly Case[])('$name', ({ command, input, argv, error }) => {
    const built = build(command, input);
    if (error === undefined) expect(built).toEqual({ ok: true, argv });
    else for (const part of error.split(' and ')) expect(errorOf(built)).toContain(part);
  });
});

describe('an argument vector', () => {
  const command = {
    path: ['do'],
    flags: [
      { name: 'level', enum: ['low', '1'] },
      { name: 'id', pattern: '^[a-z]+$' },
      { name: 'label', cumulative: true, enum: ['a', 'b'] },
      { name: 'header', map: true },
      { name: 'verbose', boolean: true, cumulative: true },
    ],
    args: [{ name: 'from', default: ['.'] }, { name: 'to' }, { name: 'files', cumulative: true, default: ['x', 'y'] }],
  };

  it.each([
    ['null is no arguments', 'null', ['do']],
    ['white space is no arguments', ' \n', ['do']],
    ['a number can be of an enum', '{"level":1}', ['do', '--level=1']],
    ['a default fills a gap', { to: 'b' }, ['do', '--', '.', 'b']],
    ['an empty list after a gap needs nothing filled', { files: [] }, ['do']],
    ['a list of booleans repeats a switch', { verbose: [true, false, true] }, ['do', '--verbose', '--verbose']],
    [
      'map values keep digits, and may be nothing',
      '{"header":{"b":1.0,"a":null}}',
      ['do', '--header=a=', '--header=b=1.0'],
    ],
    ['map values may hold anything', { header: { a: '--b=c d\n' } }, ['do', '--header=a=--b=c d\n']],
  ])('%s', (_rule, input, argv) => expect(build(command, input)).toEqual({ ok: true, argv }));

  it.each([
    ['an enum holds for every element', { label: ['a', 'c'] }, 'label must be one of: a, b'],
    ['a pattern is checked', { id: 'a1' }, 'id must match ^[a-z]+$'],
    ['a boolean is no value', { id: true }, 'id must be a string or a number, not a boolean'],
    ['null is no boolean', { verbose: null }, 'verbose must be a boolean, not null'],
    ['a list is no single value', { to: ['a'] }, 'to takes one value, not an array'],
    ['an object is no list', { label: { a: 'b' } }, 'label takes a value or a list of values, not an object'],
    ['a map takes an object', { header: 'a=b' }, 'header must be an object, not a string'],
    ['a map key with an equals sign would move into the value', { header: { 'a=b': 'c' } }, 'a=b'],
    ['a map key must not be empty', { header: { '': 'c' } }, 'key'],
    ['a NUL in a map key', { header: { 'a\0': 'c' } }, 'NUL'],
    ['a gap that no default fills', { files: ['a'] }, 'to is missing'],
    ['broken JSON', '{"to": }', 'JSON'],
  ])('%s', (_rule, input, error) => expect(errorOf(build(command, input))).toContain(error));

  it('lists everything that is wrong', () => {
    const error = errorOf(build(command, { level: 'x', id: 5, label: [true], to: {}, colour: 1 }));
    for (const name of ['level', 'id', 'label', 'to', 'colour']) expect(error).toContain(name);
  });

  it('keeps the list of problems short', () => {
    const input = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`.repeat(100), 1]));
    const error = errorOf(build(command, input));
    expect(error).toContain('and 4980 more problems');
    expect(error?.length).toBeLessThan(5000);
  });
});
