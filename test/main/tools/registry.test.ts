import { describe, expect, it } from 'vitest';
import { computerTools, humanTools } from '../../../src/main/tools/registry';
import { MAX_TOOL_ERROR, ToolError } from '../../../src/main/tools/tool';
import { contextOf } from './computer/helpers';

const INPUTS: Record<string, [required: string[], optional: string[]]> = {
  list_dir: [['path'], ['recursive', 'limit']],
  read_file: [['path'], ['startLine', 'endLine']],
  search_files: [['pattern'], ['path', 'glob', 'ignoreCase', 'maxResults']],
  computer_info: [[], []],
  fetch_url: [['url'], []],
  write_file: [['path', 'content'], ['append']],
  edit_file: [['path', 'oldString', 'newString'], ['replaceAll']],
  move: [['from', 'to'], []],
  delete: [['path'], ['recursive']],
  run_command: [['argv'], ['cwd', 'timeoutSec']],
  shell: [['command'], ['cwd', 'timeoutSec']],
  ask_human_confirm: [['question'], []],
  ask_human_select: [['question', 'options'], []],
  ask_human_input: [['question'], ['default']],
};
const DANGEROUS = ['write_file', 'edit_file', 'move', 'delete', 'run_command', 'shell'];

describe('the built-in tools', () => {
  it('are those of the reference, and dangerous are those that can change something', () => {
    expect([...computerTools(), ...humanTools()].map((tool) => tool.name)).toEqual(Object.keys(INPUTS));
    expect(
      computerTools()
        .filter((tool) => tool.dangerous)
        .map((tool) => tool.name),
    ).toEqual(DANGEROUS);
  });

  it.each(Object.entries(INPUTS))(
    '%s takes what the reference says, and nothing else',
    (name, [required, optional]) => {
      const tool = [...computerTools(), ...humanTools()].find((candidate) => candidate.name === name);
      expect(tool?.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(Object.keys(Object(tool?.inputSchema.properties))).toEqual([...required, ...optional]);
      expect(tool?.inputSchema.required ?? []).toEqual(required);
      expect(tool?.inputSchema).not.toHaveProperty('$schema');
    },
  );

  it('list everything that is wrong with the arguments, by name', async () => {
    const [write] = computerTools().filter((tool) => tool.name === 'write_file');
    const error = await write
      ?.prepare('{"path":1,"apend":true,"x":0}', contextOf('/'))
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ToolError);
    expect(String(error)).toMatch(
      /write_file: path: .*string.*; content is missing; "apend" is not known; "x" is not known/,
    );
  });

  it('say what is wrong in few words, however much of it there is', async () => {
    const long = 'k'.repeat(2_000_000);
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, 0]));
    const inputs = [
      JSON.stringify({ [long]: 1 }),
      JSON.stringify({ ...many, path: long }),
      `{"${long}":1,"${long}":2}`,
      `{"${long}"`,
    ];
    for (const text of inputs) {
      for (const tool of computerTools()) {
        const error = await tool.prepare(text, contextOf('/')).catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(ToolError);
        expect(String(error).length).toBeLessThan(MAX_TOOL_ERROR + 20);
      }
    }
  });

  it.each(['[]', '"x"', '{"path":"a","path":"b"}', '{"path":"a"} {}', '{"path":"\\ud800"}'])(
    'refuse arguments that are no strict JSON object: %s',
    async (text) => {
      for (const tool of computerTools())
        await expect(tool.prepare(text, contextOf('/'))).rejects.toBeInstanceOf(ToolError);
      for (const tool of humanTools()) expect(() => tool.parse(text)).toThrow(ToolError);
    },
  );

  it('do not take __proto__ for anything but an unknown key', async () => {
    for (const tool of computerTools()) {
      await expect(tool.prepare('{"__proto__":{"path":"."}}', contextOf('/'))).rejects.toThrow(ToolError);
    }
  });
});
