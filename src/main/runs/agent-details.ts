import { realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { AgentDetails, ServerInfo, ToolGate, ToolInfo, Tried } from '@shared/agent-details';
import type { CallPreview } from '@shared/requests';
import type { ApprovalMode } from '@shared/states';
import { displayToken } from '../approvals/display/display-token';
import { gate } from '../approvals/gate';
import { reachInWords } from '../tools/mcp/server';
import { type CallOutline, type Tool, ToolError } from '../tools/tool';
import { answered } from './answered';
import { Refusal } from './refusal';
import type { ResolvedAgent } from './resolve-agent';

/** How long a try may take, in milliseconds. */
const TRY_MS = 10_000;

/** A resolved agent as the agents page shows it: every word of it holds for the next run. */
export function agentDetails(resolved: ResolvedAgent): AgentDetails {
  const { agent, sandbox, toolSearch } = resolved;
  return {
    provider: agent.provider,
    model: resolved.model,
    thinking: agent.thinking,
    mode: agent.approvalMode,
    toolSearch: { on: toolSearch.on, why: toolSearch.why },
    sandbox: sandbox.tier,
    weak: sandbox.isWeak === true,
    environment: Object.keys(resolved.environment).sort(),
    tools: resolved.tools.map(({ tool, source }) => toolInfo(tool, source, resolved)),
    servers: serverInfos(resolved),
    globalFlags: [...resolved.globalFlags],
    warnings: [...new Set([...resolved.warnings, ...resolved.servers.complaints])],
    problems: [...resolved.problems],
  };
}

function serverInfos({ agent, servers }: ResolvedAgent): ServerInfo[] {
  return agent.mcp.map(({ value: { name, reach } }) => ({
    name,
    reach: reachInWords(reach),
    state: !servers.wereAsked ? 'unasked' : servers.unavailable.includes(name) ? 'unavailable' : 'listed',
    offered: servers.tools.filter(({ server }) => server === name).length,
  }));
}

function toolInfo(tool: Tool, source: string, { agent, sandbox, toolSearch, servers }: ResolvedAgent): ToolInfo {
  const { kind, name, description, inputSchema, tags } = tool;
  const dangerous = kind === 'action' && tool.dangerous;
  const decide = (mode: ApprovalMode) =>
    gate({
      tool: { dangerous, tags },
      valid: true,
      mode,
      confirmTags: agent.confirmTags,
      stopped: false,
      operator: true,
      weakSandbox: sandbox.isWeak === true,
      grant: null,
    });
  const asked = decide('ask');
  const tag = asked.decision === 'ask' && asked.gatedBy.because === 'tag' ? asked.gatedBy.tag : null;
  const words = (mode: ApprovalMode): ToolGate => {
    const { decision } = decide(mode);
    return decision === 'run' ? 'runs' : decision === 'ask' ? 'asks' : 'refused';
  };
  return {
    name,
    source,
    kind,
    description,
    // Through JSON, as it goes to the model.
    inputSchema: JSON.parse(JSON.stringify(inputSchema)) as ToolInfo['inputSchema'],
    tags: [...tags],
    dangerous,
    gate: { tag, auto: words('auto'), ask: words('ask'), readonly: words('readonly') },
    deferred: toolSearch.deferred.has(name),
    fromServer: servers.tools.some((one) => one.tool === tool),
  };
}

/**
 * What a call of a tool would do, without doing it.
 * @param workspace null: the agent's own, or where it has none, the system's temporary folder
 * @throws Refusal when there is no such tool or folder
 */
export async function tryTool(
  resolved: ResolvedAgent,
  name: string,
  inputText: string,
  workspace: string | null,
): Promise<Tried> {
  const tool = resolved.tools.find((sourced) => sourced.tool.name === name)?.tool;
  if (tool === undefined) throw new Refusal('not-found', `The agent has no tool ${name}.`, 'Look at its tools again.');
  if (tool.kind === 'question') return { ok: false, error: `${name} asks you a question: nothing would run.` };
  const { environment, sandbox, agent } = resolved;
  const look = async (): Promise<CallOutline> => {
    const context = {
      workspace: await folderOf(workspace ?? agent.workspace ?? tmpdir()),
      sandbox,
      environment,
      toolTimeoutMs: agent.limits.toolTimeoutMs,
    };
    return tool.outline === undefined ? tool.prepare(inputText, context) : tool.outline(inputText, context);
  };
  try {
    const outline = await answered(look(), TRY_MS);
    if (outline === null) return { ok: false, error: 'The file system does not answer.' };
    const { command, preview } = outline;
    return { ok: true, command: command.map((token) => displayToken(token)), preview: withoutContent(preview) };
  } catch (error) {
    if (error instanceof ToolError) return { ok: false, error: error.message };
    throw error;
  }
}

/** The form shows no file, and the window is not to read any that way: it may name any folder of the machine. */
function withoutContent(preview: CallPreview): CallPreview {
  return preview.kind === 'file' ? { ...preview, diff: '', added: 0, removed: 0, omittedLines: 0 } : preview;
}

/** Nothing is started there, so unlike a run's workspace it may be any folder. */
async function folderOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  const stats = real === null ? null : await stat(real).catch(() => null);
  if (real !== null && stats?.isDirectory() === true) return real;
  throw new Refusal('refused', `There is no folder ${path}.`, 'Choose a folder that is there.');
}
