import { claudeModel } from './claude-models';
import type { ToolDefinition } from './model';

/** From so many tools on, definitions go behind the provider's tool search (semantics: deferral). */
export const DEFER_FROM = 10;

export interface ToolSearch {
  readonly on: boolean;
  /** Why it is on or off, for the operator. */
  readonly why: string;
  /** The names of the tools that the model has to search for; none while it is off. */
  readonly deferred: ReadonlySet<string>;
}

/** The families that came before the API's tool search; every later Claude has it, and no other model is known to. */
const BEFORE_TOOL_SEARCH: readonly string[] = ['claude-opus-4', 'claude-opus-4-1', 'claude-sonnet-4'];

function hasToolSearch(model: string): boolean {
  const family = model.replace(/-(\d{8}|latest)$/, '');
  if (claudeModel(model) !== null) return !BEFORE_TOOL_SEARCH.includes(family);
  return model.startsWith('claude-') && !/^claude-(instant|2|3)/.test(model);
}

/** Whether a model that is offered these tools searches for them, and for which. The same for a run and for the screen. */
export function toolSearch(
  provider: 'anthropic' | 'scripted',
  model: string,
  tools: readonly ToolDefinition[],
): ToolSearch {
  const off = (why: string): ToolSearch => ({ on: false, why, deferred: new Set() });
  if (provider !== 'anthropic') return off('a scripted agent calls its tools by name');
  if (tools.length < DEFER_FROM) return off(`${tools.length} tools: it is used from ${DEFER_FROM} on`);
  if (!hasToolSearch(model)) return off(`${model} is not known to have it, so all ${tools.length} tools are sent`);
  const deferred = new Set(tools.filter((tool) => tool.deferrable === true).map(({ name }) => name));
  if (deferred.size === 0) return off(`none of the ${tools.length} tools may be deferred`);
  return { on: true, why: `${deferred.size} of ${tools.length} tools are found by searching`, deferred };
}
