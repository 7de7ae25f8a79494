import { z } from 'zod';
import { PrivateHosts } from './agent-hosts';
import { McpServers } from './agent-mcp';
import { AgentSandboxKeys } from './agent-sandbox';
import { duration } from './durations';
import { MAX_TOOL_NAME, patternProblem } from './safe-pattern';
import { ApprovalMode, Provider } from './states';

const HOUR = 3_600_000;

/** Never handed to a child process, whatever an agent file says (semantics: the child process). */
export const NEVER_PASSED = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_IDENTITY_TOKEN',
  'ANTHROPIC_WEBHOOK_SIGNING_KEY',
  'ANTHROPIC_CUSTOM_HEADERS',
] as const;

/** A duration in milliseconds; a bare number is told what it lacks, its unit, and not that it is no text. */
const time = (minMs: number, maxMs: number) =>
  z.preprocess((value) => (typeof value === 'number' ? String(value) : value), duration(minMs, maxMs));

const EnvironmentName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of an environment variable')
  .refine((name) => !(NEVER_PASSED as readonly string[]).includes(name.toUpperCase()), {
    error: (issue) => `${String(issue.input)} holds a credential of this app and never reaches a command`,
  })
  .refine((name) => !/^SAYSO(_|$)|^LLMFORMAT$/.test(name), {
    error: (issue) => `${String(issue.input)} is set by Sayso itself`,
  });

/** The API's smallest budget for thinking; what is left of the output limit is the reply itself. */
const MIN_THINKING_TOKENS = 1_024;

/** A regular expression that is looked for in the names of tools. */
const ToolPattern = z.string().superRefine((pattern, context) => {
  const problem = patternProblem(pattern, MAX_TOOL_NAME);
  if (problem !== null) context.addIssue({ code: 'custom', message: `"${pattern.slice(0, 60)}": ${problem}` });
});

const Selection = z
  .strictObject({
    tools: z.array(ToolPattern).max(100).default([]),
    /** Exact; "" stands for tools without any tag. */
    tags: z.array(z.string().max(200)).max(100).default([]),
  })
  .prefault({});

/** A Fisk application, which describes itself, or any other program, described by hand. */
const Application = z
  .strictObject({ path: z.string().min(1).optional(), manifest: z.string().min(1).optional() })
  .refine(({ path, manifest }) => (path === undefined) !== (manifest === undefined), {
    error: 'write either `path: PROGRAM` for a Fisk application or `manifest: ./NAME.tools.yaml`',
  });

const Keys = z.strictObject({
  name: z
    .string()
    .max(64, 'longer than 64 characters')
    .regex(/^[a-z0-9][a-z0-9-]*$/, 'write lower-case letters, digits and dashes, starting with a letter or a digit'),
  description: z.string().max(2_000).default(''),
  provider: Provider.default('anthropic'),
  model: z.string().min(1).max(200).optional(),
  thinking: z.boolean().default(false),
  prompt: z.string().max(200_000).default(''),
  script: z.string().min(1).optional(),
  workspace: z.string().min(1).optional(),
  computer: z.boolean().default(true),
  http: z.boolean().default(false),
  private_hosts: PrivateHosts,
  applications: z.array(Application).max(50).default([]),
  mcp: McpServers.default([]),
  include: Selection,
  exclude: Selection,
  global_flags: z.array(z.string().min(1)).max(100).default([]),
  harness: z
    .strictObject({
      human_in_the_loop: z.strictObject({ enabled: z.boolean().default(false) }).prefault({}),
      confirm_tags: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  guardrails: z
    .strictObject({
      approvalMode: ApprovalMode.default('ask'),
      approvalTimeout: time(5_000, 24 * HOUR).prefault('120s'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      maxTurns: z.number().int().min(1).max(10_000).default(50),
      maxTokens: z.number().int().min(1).max(1_000_000_000).default(500_000),
      maxCostUsd: z.number().positive().optional(),
      callTimeout: time(1_000, 24 * HOUR).prefault('120s'),
      toolTimeout: time(1_000, 24 * HOUR).prefault('5m'),
      maxOutputTokens: z.number().int().min(1).max(1_000_000).default(8192),
      contextTokens: z.number().int().min(1_000).max(100_000_000).optional(),
    })
    .prefault({}),
  environment: z
    .strictObject({
      pass: z.array(EnvironmentName).default([]),
      set: z.record(EnvironmentName, z.string().regex(/^[^\0]*$/, 'holds a NUL')).default({}),
    })
    .prefault({}),
  sandbox: AgentSandboxKeys,
});

/** The agent file after its YAML was read. Defaults are those of the reference; durations come out in milliseconds. */
export const AgentFile = Keys.superRefine((file, context) => {
  const problem = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
  if (file.provider === 'scripted' && file.script === undefined) {
    problem(['provider'], 'scripted needs a script: add `script: ./NAME.script.yaml`');
  }
  if (file.provider !== 'scripted' && file.script !== undefined) {
    problem(['script'], 'only `provider: scripted` plays a script: remove it, or set the provider');
  }
  if (file.provider === 'scripted' && file.limits.contextTokens !== undefined) {
    problem(['limits', 'contextTokens'], 'a script has no context that could fill: remove it');
  }
  if (file.thinking && file.limits.maxOutputTokens <= MIN_THINKING_TOKENS) {
    problem(['limits', 'maxOutputTokens'], `thinking needs more than ${MIN_THINKING_TOKENS} output tokens`);
  }
});
export type AgentFile = z.infer<typeof AgentFile>;

/** One thing that is wrong in a file, where it is known with its place, counted from 1. */
export const FileProblem = z.strictObject({
  message: z.string(),
  line: z.number().int().positive().nullable(),
  column: z.number().int().positive().nullable(),
});
export type FileProblem = z.infer<typeof FileProblem>;

/** An agent as the new-run dialog and the agents page list it. One with problems is listed and cannot run. */
export const AgentInfo = z.strictObject({
  /** Stable for as long as the file stays where it is. */
  id: z.string().min(1).max(5_000),
  name: z.string(),
  description: z.string(),
  /** The file it comes from; null for the ones that ship with the app. */
  path: z.string().nullable(),
  provider: Provider.nullable(),
  model: z.string().nullable(),
  workspace: z.string().nullable(),
  mode: ApprovalMode.nullable(),
  problems: z.array(FileProblem),
});
export type AgentInfo = z.infer<typeof AgentInfo>;
