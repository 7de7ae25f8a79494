import type { Provider } from '@shared/states';
import { AnthropicModel } from './anthropic';
import type { LanguageModel } from './model';
import type { Script } from './script';
import { ScriptedModel } from './scripted';

/** What an agent's definition says about its model. */
export interface ModelChoice {
  readonly provider: Provider;
  /** null: the default one. */
  readonly model: string | null;
  /** Set exactly where the provider is `scripted`. */
  readonly script: Script | null;
}

export interface ModelConnection {
  /** null where none is known: the model can be made, and says so when it is asked. */
  readonly apiKey: string | null;
  /** Any server that speaks the Messages API (ANTHROPIC_BASE_URL); null for Anthropic's own. */
  readonly baseUrl: string | null;
  /** The model of agents that name none: the one in the settings. */
  readonly defaultModel: string;
}

/** The name under which a session knows its model. */
export function modelName(choice: ModelChoice, defaultModel: string): string {
  return choice.model ?? (choice.provider === 'scripted' ? 'scripted' : defaultModel);
}

/** The language model of an agent. Reads nothing from the environment. */
export function createModel(choice: ModelChoice, connection: ModelConnection): LanguageModel {
  const name = modelName(choice, connection.defaultModel);
  if (choice.provider === 'anthropic') {
    return new AnthropicModel({ model: name, apiKey: connection.apiKey, baseUrl: connection.baseUrl });
  }
  if (choice.script === null) throw new Error('a scripted agent without its script');
  return new ScriptedModel({ script: choice.script, name });
}
