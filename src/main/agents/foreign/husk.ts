import { z } from 'zod';
import { computerTools } from '../../tools/registry';
import type { YamlSource } from '../yaml-source';
import { type Translated, Translation } from './translation';

/** Husk's husk.yaml, by its public reference (github.com/Hotragn/husk). Strict, as a newer key may restrict something. */
const Anything = z.looseObject({});

export const HuskFile = z.strictObject({
  apiVersion: z.literal('husk/v1').optional(),
  name: z.string(),
  displayName: z.string().optional(),
  version: z.string().optional(),
  description: z.string().default(''),
  model: z.string().default('auto'),
  fallbackModels: z.array(z.string()).optional(),
  temperature: z.number().optional(),
  persona: z.string().default(''),
  knowledge: z
    .array(z.strictObject({ title: z.string(), content: z.string(), source: z.string().optional() }))
    .default([]),
  examples: z.array(z.strictObject({ user: z.string(), assistant: z.string() })).default([]),
  tools: z.array(z.string()).default(['computer']),
  computer: z
    .strictObject({
      enabled: z.boolean().default(true),
      network: z
        .strictObject({
          mode: z.enum(['none', 'egress', 'full']).default('egress'),
          allow: z.array(z.string()).optional(),
          deny: z.array(z.string()).optional(),
        })
        .optional(),
      env: z.record(z.string(), z.string()).optional(),
      provider: z.string().optional(),
      flavor: z.string().optional(),
      image: z.string().optional(),
      cpus: z.number().optional(),
      memoryMb: z.number().optional(),
      diskMb: z.number().optional(),
      idleTimeoutSec: z.number().optional(),
      maxLifetimeSec: z.number().optional(),
      packages: z.array(z.string()).optional(),
      setup: z.string().optional(),
      workdir: z.string().optional(),
      persist: z.boolean().optional(),
      mounts: z.array(Anything).optional(),
      user: z.string().optional(),
      labels: z.record(z.string(), z.string()).optional(),
    })
    .prefault({}),
  limits: z
    .strictObject({
      maxSteps: z.number().default(24),
      maxCostUsd: z.number().default(0.5),
      maxTokens: z.number().default(200_000),
      timeoutSec: z.number().optional(),
      execTimeoutSec: z.number().default(120),
      maxOutputBytes: z.number().optional(),
    })
    .prefault({}),
  guardrails: z
    .strictObject({
      approvalMode: z.enum(['auto', 'ask', 'readonly']).optional(),
      denyCommands: z.array(z.string()).default([]),
      allowCommands: z.array(z.string()).default([]),
      refuse: z.array(z.string()).default([]),
      redactSecrets: z.boolean().optional(),
    })
    .prefault({}),
  memory: Anything.optional(),
  triggers: z.array(Anything).optional(),
  metadata: Anything.optional(),
  origin: Anything.optional(),
});
type HuskFile = z.infer<typeof HuskFile>;

/** What Sayso keeps of a command's output, in bytes: a lower limit of the file's would be exceeded. */
const OUTPUT_BYTES = 65_536;

/** The built-in tools that a bundle or a name of Husk's stands for. run_command is the safer half of its shell. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  computer: ['shell', 'run_command', 'computer_info'],
  files: ['read_file', 'write_file', 'edit_file', 'list_dir', 'search_files', 'move', 'delete'],
  web: ['fetch_url'],
  http: ['http_request'],
  shell: ['shell', 'run_command'],
};

/** What reaches the network from the app itself, past the sandbox of commands. */
const WEB_TOOLS = ['fetch_url', 'http_request'];

export function translateHusk(file: HuskFile, source: YamlSource): Translated {
  const translation = new Translation(source);
  const { computer, limits } = file;
  restrictions(file, translation);
  translation.unused(file, [], ['fallbackModels', 'temperature', 'memory', 'triggers']);
  if (file.examples.length > 0) translation.note(['examples'], 'not supported, the model does not get them');
  translation.unused(
    computer,
    ['computer'],
    [
      ...[
        'provider',
        'flavor',
        'image',
        'idleTimeoutSec',
        'packages',
        'setup',
        'workdir',
        'persist',
        'mounts',
        'labels',
      ],
    ],
  );
  if (/\{\{\w+\}\}/.test(file.persona)) translation.note(['persona'], 'its {{variables}} stay as they are');
  if (file.guardrails.allowCommands.length > 0) {
    translation.note(['guardrails', 'allowCommands'], 'not supported: nothing is let through without the gate');
  }
  if (file.guardrails.approvalMode === undefined) {
    translation.note(['guardrails', 'approvalMode'], 'not given; Husk would run everything, here the mode is ask');
  }
  if (limits.timeoutSec === undefined) translation.note(['limits', 'timeoutSec'], 'Husk would end a run after 300 s');
  return {
    notes: translation.notes,
    problems: translation.problems,
    pathOf: (path) => PATHS[path.map(String).slice(0, 2).join('.')] ?? path,
    agent: {
      name: file.name,
      description: file.description,
      ...modelOf(file, translation),
      prompt: promptOf(file),
      computer: computer.enabled,
      http: wantedTools(file.tools).includes('http_request'),
      exclude: { tools: computer.enabled ? unwanted(file, translation) : [] },
      guardrails: { approvalMode: file.guardrails.approvalMode ?? 'ask' },
      limits: {
        maxTurns: limits.maxSteps,
        maxTokens: limits.maxTokens,
        maxCostUsd: limits.maxCostUsd,
        toolTimeout: `${limits.execTimeoutSec}s`,
      },
      environment: environmentOf(file, translation),
      // Husk's machines are apart from this one; a process of ours without confinement would not be.
      sandbox: { require: 'confined', network: false },
    },
  };
}

const PATHS: Readonly<Record<string, readonly string[]>> = {
  'limits.maxTurns': ['limits', 'maxSteps'],
  'limits.toolTimeout': ['limits', 'execTimeoutSec'],
  prompt: ['persona'],
  'environment.set': ['computer', 'env'],
  'environment.pass': ['computer', 'env'],
};

function restrictions({ guardrails, limits, computer, tools }: HuskFile, translation: Translation): void {
  if (guardrails.denyCommands.length > 0) {
    translation.refuse(['guardrails', 'denyCommands'], 'take the tool away, or let it ask: `exclude`, or approvalMode');
  }
  if (limits.timeoutSec !== undefined) {
    translation.refuse(['limits', 'timeoutSec'], 'there is no limit for the time of a whole run; remove it');
  }
  if (limits.maxOutputBytes !== undefined && limits.maxOutputBytes < OUTPUT_BYTES) {
    translation.refuse(['limits', 'maxOutputBytes'], `up to ${OUTPUT_BYTES} bytes are kept; remove it`);
  }
  for (const key of ['cpus', 'memoryMb', 'diskMb', 'maxLifetimeSec', 'user'] as const) {
    const value = computer[key];
    if (value !== undefined && value !== 0) {
      translation.refuse(['computer', key], 'see `sandbox.limits` of an agent file; remove it');
    }
  }
  const { network } = computer;
  if (network !== undefined && network.mode !== 'none') {
    translation.note(['computer', 'network'], 'stricter here: commands have no network at all');
  }
  // The web tools are held to no list of hosts: a list that they would not keep must not be dropped.
  if (!wantedTools(tools).some((name) => WEB_TOOLS.includes(name))) return;
  if (network?.mode === 'none') {
    translation.refuse(['computer', 'network', 'mode'], 'take `web` and `http` out of `tools`: they reach the network');
  }
  for (const key of ['allow', 'deny'] as const) {
    if ((network?.[key] ?? []).length === 0) continue;
    translation.refuse(
      ['computer', 'network', key],
      'take `web` and `http` out of `tools`: they keep no list of hosts',
    );
  }
}

function modelOf({ model }: HuskFile, translation: Translation): { model?: string } {
  const [provider, ...name] = model.split('/');
  if (provider === 'anthropic' && name.length > 0) return { model: name.join('/') };
  if (model.startsWith('claude-')) return { model };
  if (model !== 'auto') translation.note(['model'], `"${model}" is not known here: the model of the settings is used`);
  return {};
}

function promptOf({ persona, knowledge, guardrails }: HuskFile): string {
  const known = knowledge.map(({ title, content }) => `### ${title}\n${content.trim()}`);
  const refused = guardrails.refuse.map((topic) => `- ${topic}`);
  return [
    persona.trim(),
    ...(known.length > 0 ? [`## Reference\n${known.join('\n\n')}`] : []),
    ...(refused.length > 0
      ? [`## Not your task\nTurn these down in a sentence, and name what you can help with:\n${refused.join('\n')}`]
      : []),
  ].join('\n\n');
}

/** Patterns for the built-in tools that the file does not name. */
function unwanted({ tools }: HuskFile, translation: Translation): string[] {
  const builtIn = computerTools().map(({ name }) => name);
  const wanted = wantedTools(tools);
  for (const name of new Set(wanted)) {
    if (!builtIn.includes(name) && !WEB_TOOLS.includes(name))
      translation.note(['tools'], `there is no tool ${name} here`);
  }
  return builtIn.filter((name) => !wanted.includes(name)).map((name) => `^${name}$`);
}

function wantedTools(tools: readonly string[]): string[] {
  return tools.flatMap((name) => TOOLS[name] ?? [name]);
}

function environmentOf({ computer }: HuskFile, translation: Translation) {
  const pass: string[] = [];
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(computer.env ?? {})) {
    if (value === `\${${name}}`) pass.push(name);
    else if (value.includes('${'))
      translation.note(['computer', 'env', name], 'not supported: it is made of variables');
    else set[name] = value;
  }
  return { pass, set };
}
