import type { ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import { claudeModel, type ThinkingStyle } from './claude-models';
import { ModelError } from './model';

/** The API's smallest budget of thinking tokens; the output limit must be larger. */
export const MIN_THINKING_BUDGET = 1_024;

/** `summarized`, so that the operator can read along: some models would send an empty text with a signature. */
const ADAPTIVE = { type: 'adaptive', display: 'summarized' } as const;

function styleOf(model: string): ThinkingStyle {
  const known = claudeModel(model);
  if (known !== null) return known.thinking;
  // A Claude newer than the list thinks adaptively; any other server's model speaks the older protocol.
  return model.startsWith('claude-') && !model.startsWith('claude-3') ? 'adaptive' : 'manual';
}

/**
 * The request's `thinking` for a model; undefined to leave it out.
 * @throws ModelError when the output limit leaves no room for thinking
 */
export function thinkingFor(model: string, wanted: boolean, maxOutputTokens: number): ThinkingConfigParam | undefined {
  const style = styleOf(model);
  if (style === 'always') return ADAPTIVE;
  if (!wanted) {
    if (style === 'on-unless-disabled') return { type: 'disabled' };
    if (style === 'on-unless-between-tools') return { type: 'between_tools' };
    return undefined;
  }
  if (style !== 'manual') return ADAPTIVE;
  if (maxOutputTokens <= MIN_THINKING_BUDGET) {
    throw new ModelError(`thinking needs limits.maxOutputTokens above ${MIN_THINKING_BUDGET}: raise it`);
  }
  return { type: 'enabled', budget_tokens: Math.max(MIN_THINKING_BUDGET, Math.floor(maxOutputTokens / 2)) };
}
