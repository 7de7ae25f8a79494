import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { buildArgv } from '../../../../src/main/tools/command/build-argv';
import { commandsOf } from '../../../../src/main/tools/command/commands-of';
import { CommandDescription, Introspection, Manifest } from '../../../../src/main/tools/command/description';
import { inputSchema } from '../../../../src/main/tools/command/input-schema';
import fiskApp from '../../../fixtures/fisk-app.json';

function fiskCommands(globalFlags: readonly string[] = []): Map<string, CommandDescription> {
  const described = commandsOf(Introspection.parse(fiskApp), globalFlags);
  return new Map(described.flatMap((one) => (one.ok ? [[one.command.path.join('_'), one.command]] : [])));
}

function fiskCommand(name: string, globalFlags: readonly string[] = []): CommandDescription {
  const command = fiskCommands(globalFlags).get(name);
  if (command === undefined) throw new Error(`the fixture has no command ${name}`);
  return command;
}

const schemaOf = (command: unknown) => inputSchema(CommandDescription.parse(command));

describe('an application’s description of itself', () => {
  it('gives its commands, without groups and without what is hidden', () => {
    expect([...fiskCommands().keys()]).toEqual([
      ...['parcel_ls', 'parcel_send', 'parcel_rm', 'parcel_note', 'depot_ls', 'depot_wipe', 'say', 'cow_think'],
    ]);
  });

  it('exposes required application flags always, others where they are named, hidden ones never', () => {
    const names = (globals: string[]) => fiskCommand('depot_ls', globals).globals.map((flag) => flag.name);
    expect(names([])).toEqual(['tenant']);
    expect(names(['context', 'debug-dump'])).toEqual(['context', 'tenant']);
  });

  it('may hold keys that we do not know, and null for an empty list', () => {
    const app = { name: 'a', flags: null, theme: 1, commands: [{ name: 'b', args: null, extra: {} }] };
    expect(commandsOf(Introspection.parse(app), [])).toMatchObject([{ ok: true, command: { path: ['b'] } }]);
  });

  it.each([
    ['a flag that would be another token', { flags: [{ name: 'a=b' }] }],
    ['a flag with a dash in front', { flags: [{ name: '-a' }] }],
    ['a command that looks like a flag', { commands: [{ name: '--all' }] }],
    ['a command of two words', { commands: [{ name: 'a b' }] }],
    ['a command without a name', { commands: [{ name: '' }] }],
  ])('is refused for %s', (_what, part) =>
    expect(Introspection.safeParse({ name: 'app', ...part }).success).toBe(false),
  );

  it('says which command cannot be a tool, and why', () => {
    const both = { name: 'x', flags: [{ name: 'a' }], args: [{ name: 'a' }] };
    const early = { name: 'y', args: [{ name: 'a', cumulative: true }, { name: 'b' }] };
    expect(commandsOf(Introspection.parse({ name: 'app', commands: [both, early] }), [])).toEqual([
      { ok: false, path: ['x'], error: 'two arguments are named a' },
      { ok: false, path: ['y'], error: 'a repeats, but is not last' },
    ]);
  });
});

describe('a manifest', () => {
  const manifest = {
    name: 'git',
    program: 'git',
    commands: [{ name: 'log', flags: [{ name: 'format', enum: ['short', 'full'] }], args: [{ name: 'path' }] }],
  };

  it('is read like an application, with its program', () => {
    expect(Manifest.parse(manifest)).toMatchObject({ program: 'git', commands: [{ name: 'log' }] });
  });

  it.each([
    ['an unknown key', { ...manifest, colour: 1 }],
    ['an unknown key of a command', { ...manifest, commands: [{ name: 'log', falgs: [] }] }],
    ['an unknown key of a flag', { ...manifest, commands: [{ name: 'log', flags: [{ name: 'a', enmu: [] }] }] }],
    ['a pattern that is none', { ...manifest, flags: [{ name: 'a', pattern: '(' }] }],
    ['no program', { name: 'git' }],
  ])('is refused for %s', (_what, document) => expect(Manifest.safeParse(document).success).toBe(false));
});

describe('the schema for the model', () => {
  it.each([...fiskCommands(['context'])])('of %s is valid JSON Schema', (_name, command) => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    expect(() => ajv.compile(inputSchema(command))).not.toThrow();
  });

  it('requires what the command and the application require', () => {
    expect(inputSchema(fiskCommand('parcel_send')).required).toEqual(['parcel', 'to', 'tenant']);
    expect(inputSchema(fiskCommand('parcel_ls')).required).toEqual(['tenant']);
  });

  it('names each argument once, the command’s own in place of an application flag', () => {
    const { properties } = inputSchema(fiskCommand('parcel_send', ['context']));
    expect(properties).toMatchObject({ context: { description: 'Delivery context' } });
    expect(Object.keys(properties as object)).toEqual(['parcel', 'to', 'label', 'weight', 'context', 'tenant']);
  });

  it('says what kind of value each argument takes', () => {
    const schema = schemaOf({
      path: ['x'],
      flags: [
        { name: 'on', boolean: true, help: 'Turns it on' },
        { name: 'many', cumulative: true },
        { name: 'map', map: true, cumulative: true },
        { name: 'one', enum: ['a', 'b'], default: 'a' },
        { name: 'id', pattern: '^x' },
      ],
      args: [{ name: 'files', cumulative: true, required: true, help: 'Files', completions: ['a', 'b'] }],
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        files: {
          type: 'array',
          items: { type: ['string', 'number'] },
          description: 'Files (for example a, b)',
        },
        on: { type: 'boolean', description: 'Turns it on' },
        many: { type: 'array', items: { type: ['string', 'number'] } },
        map: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
        one: { type: 'string', enum: ['a', 'b'], description: '(default a)' },
        id: { type: 'string', pattern: '^x' },
      },
      required: ['files'],
      additionalProperties: false,
    });
  });

  it('asks for what the argument vector is built from', () => {
    const command = fiskCommand('parcel_send', ['context']);
    const input = { parcel: 'p', to: 'd', label: ['a', 'b'], weight: 5, context: 'c', tenant: 't' };
    expect(new Ajv({ allowUnionTypes: true }).validate(inputSchema(command), input)).toBe(true);
    expect(buildArgv(command, JSON.stringify(input))).toEqual({
      ok: true,
      argv: ['parcel', 'send', '--label=a', '--label=b', '--weight=5', '--context=c', '--tenant=t', '--', 'p', 'd'],
    });
  });
});
