import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import type { AgentFile, FileProblem } from '@shared/agent-file';
import { Script } from '../models/script';
import type { AgentDefinition } from './definition';
import {
  type AgentPlace,
  inFile,
  type LoadedApplications,
  loadApplications,
  resolvePath,
  selection,
} from './load-applications';
import { sandboxOf, unreachableHosts } from './load-sandbox';
import { serversOf } from './load-servers';
import { readAgentFile } from './read-agent-file';
import { readSmallTextFile } from './read-file';
import { readYaml } from './read-yaml';
import type { YamlSource } from './yaml-source';

export const AGENT_FILE_SUFFIX = '.agent.yaml';

export type AgentLoad =
  | { readonly ok: true; readonly agent: AgentDefinition }
  | {
      readonly ok: false;
      readonly name: string;
      readonly problems: readonly FileProblem[];
      /** Other files that are to blame: with them the agent may be mended. */
      readonly files?: readonly string[];
    };

export interface LoadOptions {
  /** In place of the path: the agent ships with the app. */
  readonly shippedId?: string;
  /** What `~` stands for. */
  readonly home?: string;
}

/** What to call an agent whose file cannot be read as one. */
function nameOf(path: string, source: YamlSource | null): string {
  const value = source?.value;
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : null;
  if (typeof name === 'string' && name.trim() !== '') return name.slice(0, 64);
  return basename(path).replace(/\.agent\.yaml$|\.ya?ml$/, '');
}

type ScriptLoad = { readonly ok: true; readonly script: Script } | { readonly ok: false; readonly messages: string[] };

async function loadScript(path: string): Promise<ScriptLoad> {
  const file = basename(path);
  const read = await readSmallTextFile(path);
  if (!read.ok) return { ok: false, messages: [`${file}: ${read.message}`] };
  const script = readYaml(read.text, Script);
  if (script.ok) return { ok: true, script: script.value };
  return {
    ok: false,
    messages: script.problems.map((problem) => inFile(file, problem)),
  };
}

/**
 * Reads, checks and resolves one agent file, with the script that it names.
 * @param path absolute
 */
export async function loadAgent(path: string, options: LoadOptions = {}): Promise<AgentLoad> {
  const read = await readSmallTextFile(path);
  if (!read.ok) {
    return { ok: false, name: nameOf(path, null), problems: [{ message: read.message, line: null, column: null }] };
  }
  const file = readAgentFile(path, read.text);
  if (!file.ok) return { ok: false, name: nameOf(path, file.source), problems: file.problems };

  const folder = dirname(path);
  const home = options.home ?? homedir();
  const { value, source } = file;
  const problems = unreachableHosts(value).map(({ index, message }) => {
    return { message: `sandbox.network[${index}]: ${message}`, ...source.placeOf(['sandbox', 'network', index]) };
  });
  if (problems.length > 0) return { ok: false, name: value.name, problems };
  let script: Script | null = null;
  if (value.script !== undefined) {
    const loaded = await loadScript(resolvePath(value.script, folder, home));
    if (!loaded.ok) {
      const place = source.placeOf(['script']);
      const problems = loaded.messages.map((message) => ({ message, ...place }));
      return { ok: false, name: value.name, problems, files: [resolvePath(value.script, folder, home)] };
    }
    script = loaded.script;
  }
  const { notes } = file;
  const origin: Origin = { path, folder, home, source, notes, shippedId: options.shippedId ?? null };
  const applications = await loadApplications(value, origin);
  if (!applications.ok) {
    const { problems, files } = applications;
    return { ok: false, name: value.name, problems, files };
  }
  return { ok: true, agent: define(value, script, applications, origin) };
}

interface Origin extends AgentPlace {
  readonly path: string;
  readonly notes: readonly string[];
  readonly shippedId: string | null;
}

function define(
  file: AgentFile,
  script: Script | null,
  { references, files }: Extract<LoadedApplications, { ok: true }>,
  origin: Origin,
): AgentDefinition {
  const { limits } = file;
  return {
    id: origin.shippedId ?? origin.path,
    path: origin.shippedId === null ? origin.path : null,
    name: file.name,
    description: file.description,
    provider: file.provider,
    model: file.model ?? null,
    thinking: file.thinking,
    prompt: file.prompt,
    script,
    workspace: file.workspace === undefined ? null : resolvePath(file.workspace, origin.folder, origin.home),
    computer: file.computer,
    http: file.http,
    privateHosts: file.private_hosts,
    applications: references,
    mcp: serversOf(file, origin),
    include: selection(file, 'include', origin.source),
    exclude: selection(file, 'exclude', origin.source),
    globalFlags: file.global_flags.map((value, index) => ({
      value,
      place: origin.source.placeOf(['global_flags', index]),
    })),
    humanInTheLoop: file.harness.human_in_the_loop.enabled,
    confirmTags: file.harness.confirm_tags,
    approvalMode: file.guardrails.approvalMode,
    approvalTimeoutMs: file.guardrails.approvalTimeout,
    limits: {
      maxTurns: limits.maxTurns,
      maxTokens: limits.maxTokens,
      maxCostUsd: limits.maxCostUsd ?? null,
      callTimeoutMs: limits.callTimeout,
      toolTimeoutMs: limits.toolTimeout,
      maxOutputTokens: limits.maxOutputTokens,
      // Only where it stands in the file: sessions from before it was known keep their fingerprint.
      ...(limits.contextTokens === undefined ? {} : { contextTokens: limits.contextTokens }),
    },
    environment: file.environment,
    sandbox: sandboxOf(file, (path) => resolvePath(path, origin.folder, origin.home)),
    files: [...(file.script === undefined ? [] : [resolvePath(file.script, origin.folder, origin.home)]), ...files],
    notes: origin.notes,
  };
}
