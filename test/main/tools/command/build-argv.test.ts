import fc from 'fast-check';
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

describe('any arguments whatever', () => {
  const names = ['alpha', 'beta', 'gamma', 'delta', 'x-y', 'constructor', 'toString', 'no-alpha', 'b.c'];
  const options = {
    boolean: fc.boolean(),
    cumulative: fc.boolean(),
    required: fc.boolean(),
    default: fc.array(fc.constantFrom('true', 'd'), { maxLength: 2 }),
    enum: fc.option(fc.constant(['a', '--beta']), { nil: [], freq: 4 }),
  };
  const commands = fc
    .record({
      flags: fc.array(fc.record({ ...options, negatable: fc.boolean(), map: fc.boolean() }), { maxLength: 5 }),
      args: fc.array(fc.record(options), { maxLength: 3 }),
      globals: fc.array(fc.record(options), { maxLength: 3 }),
    })
    .map(({ flags, args, globals }) =>
      CommandDescription.parse({
        path: ['one', 'two'],
        flags: flags.map((flag, index) => ({ ...flag, name: names[index] })),
        args: args.map((arg, index) => ({
          ...arg,
          name: names[flags.length + index],
          cumulative: arg.cumulative && index === args.length - 1,
        })),
        globals: globals.map((flag, index) => ({ ...flag, name: names[index * 3] })),
      }),
    );
  const nasty = fc.constantFrom('-', '--', '--alpha', '--beta=1', '-rf', '', ' ', '=', '\0', ';', '$(x)', '\n--alpha');
  const scalar = fc.oneof(nasty, fc.string({ unit: 'binary' }), fc.boolean(), fc.double(), fc.constant(null));
  const value = fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.oneof(nasty, fc.string()), scalar), fc.jsonValue());
  const known = fc.dictionary(fc.constantFrom(...names), value);
  const input = fc.oneof(
    { weight: 4, arbitrary: known.map((object) => JSON.stringify(object)) },
    fc.json(),
    fc.string({ unit: 'binary' }),
  );

  const text = fc.oneof(nasty, fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null));
  const arrays = (one: fc.Arbitrary<unknown>, repeats: boolean) => (repeats ? fc.oneof(one, fc.array(one)) : one);
  /** Arguments of the right kinds, so that most of them pass and the values alone are hostile. */
  const fitting = (command: CommandDescription) =>
    fc
      .record(
        Object.fromEntries(
          [...command.globals, ...command.args, ...command.flags].map((argument) => {
            const one = argument.boolean ? fc.boolean() : argument.enum.length > 0 ? fc.constant('--beta') : text;
            const map = 'map' in argument && argument.map;
            const key = fc.oneof(fc.constantFrom('--alpha', '-', '--'), fc.string({ minLength: 1 }));
            const entry = argument.enum.length > 0 ? fc.constant('a') : text;
            return [argument.name, map ? fc.dictionary(key, entry) : arrays(one, argument.cumulative)];
          }),
        ),
        { requiredKeys: [] },
      )
      .map((object) => JSON.stringify(object));
  const calls = commands.chain((command) =>
    fc.tuple(fc.constant(command), fc.oneof({ weight: 3, arbitrary: fitting(command) }, input)),
  );

  it('never become a flag, nor add a token that the description lacks', () => {
    let built = 0;
    fc.assert(
      fc.property(calls, ([command, text]) => {
        const result = buildArgv(command, text);
        if (!result.ok) return;
        built += 1;
        const rest = result.argv.slice(command.path.length);
        expect(result.argv.slice(0, command.path.length)).toEqual(command.path);
        const end = rest.indexOf('--');
        const before = end < 0 ? rest : rest.slice(0, end);
        const declared = [...command.flags, ...command.globals];
        for (const token of before) {
          const fits = declared.some(
            ({ name, boolean, negatable, map }) =>
              (!boolean || map ? token.startsWith(`--${name}=`) : token === `--${name}`) ||
              (negatable && token === `--no-${name}`),
          );
          expect(fits, token).toBe(true);
        }
        if (command.args.length === 0) expect(end).toBe(-1);
        expect(result.argv.some((token) => token.includes('\0'))).toBe(false);
      }),
      { numRuns: 4000 },
    );
    expect(built).toBeGreaterThan(500);
  });

  it('give as many positionals as the description has, unless the last one repeats', () => {
    fc.assert(
      fc.property(calls, ([command, text]) => {
        const result = buildArgv(command, text);
        if (!result.ok || command.args.at(-1)?.cumulative) return;
        const end = result.argv.indexOf('--');
        expect(end < 0 ? 0 : result.argv.length - end - 1).toBeLessThanOrEqual(command.args.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('write maps with sorted keys', () => {
    const command = CommandDescription.parse({ path: [], flags: [{ name: 'x', map: true }] });
    const key = fc.string({ minLength: 1 }).filter((text) => !/[=\0]/.test(text));
    fc.assert(
      fc.property(fc.dictionary(key, fc.constant('v')), (object) => {
        const argv = Object.keys(object)
          .sort()
          .map((name) => `--x=${name}=v`);
        expect(buildArgv(command, JSON.stringify({ x: object }))).toEqual({ ok: true, argv });
      }),
    );
  });

  it('keep the digits of any number', () => {
    const command = CommandDescription.parse({ path: [], flags: [{ name: 'n' }] });
    fc.assert(
      fc.property(fc.bigInt(), (number) => {
        expect(buildArgv(command, `{"n":${number}}`)).toEqual({ ok: true, argv: [`--n=${number}`] });
      }),
    );
  });
});
