import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AgentFile } from '@shared/agent-file';
import { Ajv2020 } from 'ajv/dist/2020';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { Manifest } from '../../../src/main/tools/command/description';

const AGENTS = resolve(import.meta.dirname, '../../../agents');

/** A schema for editors: what is wrong beyond it is said by the app itself, with its place. */
function published(schema: z.ZodType, title: string): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}

const schemas = { 'agent-file': AgentFile, tools: Manifest } as const;
const titles = { 'agent-file': 'A Sayso agent', tools: 'A program whose commands are tools' } as const;

test.each(['agent-file', 'tools'] as const)('the published schema of %s is in step with the code', async (name) => {
  // Run vitest with -u after a change of the code.
  await expect(published(schemas[name], titles[name])).toMatchFileSnapshot(join(AGENTS, `schema/${name}.schema.json`));
});

const ajv = new Ajv2020({ strict: false });
const validator = async (name: string) =>
  ajv.compile(JSON.parse(await readFile(join(AGENTS, `schema/${name}.schema.json`), 'utf8')) as object);

test('every agent and manifest that ships fits its schema, and says where it is', async () => {
  const files = (await readdir(AGENTS, { recursive: true })).filter((name) => /\.(agent|tools)\.yaml$/.test(name));
  expect(files.length).toBeGreaterThan(4);
  const check = { agent: await validator('agent-file'), tools: await validator('tools') };
  for (const file of files) {
    const text = await readFile(join(AGENTS, file), 'utf8');
    const kind = file.endsWith('.agent.yaml') ? 'agent' : 'tools';
    const valid = check[kind](parse(text));
    expect([file, check[kind].errors]).toEqual([file, null]);
    expect(valid).toBe(true);
    const place = kind === 'agent' ? './schema/agent-file.schema.json' : '../schema/tools.schema.json';
    expect(text.split('\n')[0], file).toBe(`# yaml-language-server: $schema=${place}`);
  }
});

test.each([
  ['an unknown key', { name: 'a', modell: 'x' }],
  ['a wrong mode', { name: 'a', guardrails: { approvalMode: 'yolo' } }],
  ['a wrong name', { name: 'A b' }],
  ['an application with a key that it does not have', { name: 'a', applications: [{ program: 'x' }] }],
])('an editor marks %s', async (_what, file) => {
  expect((await validator('agent-file'))(file)).toBe(false);
});
