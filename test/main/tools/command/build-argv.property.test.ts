import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildArgv } from '../../../../src/main/tools/command/build-argv';
import { CommandDescription } from '../../../../src/main/tools/command/description';

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
