import { basename } from 'node:path';
import { z } from 'zod';
import type { YamlSource } from '../yaml-source';
import { type Translated, Translation } from './translation';

/**
 * Fisk AI's agent.yaml, by its public reference (github.com/choria-io/fisk-ai). Strict: a key that is newer than what is
 * known here may restrict something.
 */
const Anything = z.looseObject({});
const Selection = z.strictObject({ tools: z.array(z.string()).optional(), tags: z.array(z.string()).optional() });

export const FiskFile = z.strictObject({
  identity: z.string().optional(),
  application_path: z.string().optional(),
  system_prompt: z.string().default(''),
  include: Selection.optional(),
  exclude: Selection.optional(),
  global_flags: z.array(z.string()).optional(),
  llm: z.strictObject({
    model: z.string().min(1),
    provider: z.string().optional(),
    budget: z
      .strictObject({
        max_tokens: z.number().optional(),
        max_output_tokens: z.number().optional(),
        max_iterations: z.number().optional(),
        call_timeout: z.string().optional(),
      })
      .optional(),
    thinking: z.strictObject({ enabled: z.boolean() }).optional(),
    reasoning_effort: z.string().optional(),
    no_prompt_cache: z.boolean().optional(),
    no_tool_search: z.boolean().optional(),
  }),
  harness: z
    .strictObject({
      human_in_the_loop: z.strictObject({ enabled: z.boolean().optional() }).optional(),
      confirm_tags: z.array(z.string()).optional(),
      tool_timeout: z.string().optional(),
      no_tui: z.boolean().optional(),
      no_bell: z.boolean().optional(),
      memory: Anything.optional(),
      knowledge: Anything.optional(),
      sessions: Anything.optional(),
    })
    .optional(),
  expose: Anything.optional(),
  nats_context: z.string().optional(),
  remote_tools: z.array(Anything).optional(),
  telemetry: Anything.optional(),
});
type FiskFile = z.infer<typeof FiskFile>;

/** Longer than any run; what Fisk AI calls no limit. */
const NO_LIMIT = '24h';

export function translateFisk(file: FiskFile, source: YamlSource): Translated {
  const { llm, harness } = file;
  const translation = new Translation(source);
  if (llm.provider !== undefined && llm.provider !== 'anthropic') {
    const message = `llm.provider: "${llm.provider}" is not supported: Sayso speaks with anthropic`;
    translation.problems.push({ message, ...source.placeOf(['llm', 'provider']) });
  }
  translation.unused(llm, ['llm'], ['reasoning_effort', 'no_prompt_cache', 'no_tool_search']);
  translation.unused(harness, ['harness'], ['no_tui', 'no_bell', 'sessions']);
  translation.unused(
    harness,
    ['harness'],
    ['memory', 'knowledge'],
    'not supported: the agent does not get these tools',
  );
  translation.unused(file, [], ['expose', 'telemetry'], 'not supported: Sayso serves and exports nothing');
  translation.unused(file, [], ['remote_tools', 'nats_context'], 'not supported: the agent does not get remote tools');
  translation.note(
    ['guardrails'],
    'Fisk AI runs commands without a tag that gates them; here the approval mode is ask',
  );
  const budget = llm.budget ?? {};
  const { max_output_tokens: output } = budget;
  return {
    notes: translation.notes,
    problems: translation.problems,
    pathOf: (path) => pathInFisk(path),
    agent: {
      name: nameOf(file),
      description: 'An agent of Fisk AI',
      model: llm.model,
      thinking: llm.thinking?.enabled ?? false,
      prompt: file.system_prompt,
      computer: false,
      ...(file.application_path === undefined ? {} : { applications: [{ path: file.application_path }] }),
      ...(file.include === undefined ? {} : { include: file.include }),
      ...(file.exclude === undefined ? {} : { exclude: file.exclude }),
      ...(file.global_flags === undefined ? {} : { global_flags: file.global_flags }),
      harness: {
        human_in_the_loop: { enabled: harness?.human_in_the_loop?.enabled ?? false },
        confirm_tags: harness?.confirm_tags ?? [],
      },
      limits: {
        ...(budget.max_tokens === undefined ? {} : { maxTokens: budget.max_tokens }),
        ...(budget.max_iterations === undefined ? {} : { maxTurns: budget.max_iterations }),
        ...(output === undefined || output === 0 ? {} : { maxOutputTokens: output }),
        ...(budget.call_timeout === undefined ? {} : { callTimeout: inSeconds(budget.call_timeout) }),
        ...(harness?.tool_timeout === undefined ? {} : { toolTimeout: inSeconds(harness.tool_timeout) }),
      },
    },
  };
}

const PATHS: Readonly<Record<string, readonly string[]>> = {
  applications: ['application_path'],
  prompt: ['system_prompt'],
  model: ['llm', 'model'],
  name: ['identity'],
  'limits.maxTokens': ['llm', 'budget', 'max_tokens'],
  'limits.maxTurns': ['llm', 'budget', 'max_iterations'],
  'limits.maxOutputTokens': ['llm', 'budget', 'max_output_tokens'],
  'limits.callTimeout': ['llm', 'budget', 'call_timeout'],
  'limits.toolTimeout': ['harness', 'tool_timeout'],
};

function pathInFisk(path: readonly PropertyKey[]): readonly PropertyKey[] {
  const [first, second] = path.map(String);
  return PATHS[`${first}.${second}`] ?? PATHS[first ?? ''] ?? path;
}

function nameOf({ identity, application_path: path }: FiskFile): string {
  const wanted = identity ?? (path === undefined ? 'fisk-ai' : basename(path));
  return wanted
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 64);
}

/** A duration as Go writes it, such as 1m30s, in whole seconds; what is none is left for the check that follows. */
function inSeconds(text: string): string {
  const found = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/.exec(text);
  if (found === null || text === '') return text;
  const [hours = 0, minutes = 0, seconds = 0, ms = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const whole = Math.ceil(hours * 3_600 + minutes * 60 + seconds + ms / 1_000);
  return whole === 0 ? NO_LIMIT : `${whole}s`;
}
