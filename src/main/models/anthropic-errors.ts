import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import type { Usage } from '@shared/events';
import { connectionWords, retryAfterSeconds } from './anthropic-transport';
import { ModelError, PromptTooLong } from './model';

export interface ErrorContext {
  readonly model: string;
  readonly host: string;
  /** Never to be shown; taken out of whatever a server says. */
  readonly apiKey: string;
  /** How often the API was asked in all. */
  readonly attempts: number;
}

const asked = (attempts: number): string => (attempts === 1 ? 'asked once' : `asked ${attempts} times`);

function statusMessage(status: number, said: string, error: APIError, context: ErrorContext): string {
  const detail = said === '' ? '' : `: ${said}`;
  switch (status) {
    case 400:
    case 422:
      return `the API refused the request (${status})${detail}`;
    case 401:
    case 403:
      return `the key was refused (${status}): check the API key in Settings`;
    case 404:
      return `no model "${context.model}" at ${context.host} (404): check its name in the agent file or in Settings`;
    case 429: {
      const seconds = retryAfterSeconds(error.headers);
      const wait = seconds !== null && seconds >= 1 ? `wait ${Math.ceil(seconds)} s` : 'wait a little';
      return `the API's rate limit is reached (429, ${asked(context.attempts)}): ${wait}, then resume`;
    }
    case 529:
      return `the API is overloaded (529, ${asked(context.attempts)}): wait a little, then resume`;
    default:
      return status >= 500
        ? `the API failed (${status}, ${asked(context.attempts)})${detail}: wait a little, then resume`
        : `the API answered ${status}${detail}`;
  }
}

/** How the API, and servers that speak its protocol, say that a conversation is longer than the model's context. */
const TOO_LONG = /prompt is too long|context.{0,10}(length|limit|window)|too many input tokens/i;

function isTooLong(error: APIError): boolean {
  if (error.status === 413) return true;
  if (error.status !== 400 && error.status !== 422 && error.type !== 'invalid_request_error') return false;
  return TOO_LONG.test(error.apiMessage ?? '');
}

/** The words of the server's own message, on one line, bounded, and without the key. */
function saidBy(error: APIError, apiKey: string): string {
  const words = (error.apiMessage ?? '').replaceAll(apiKey, '[the key]').replace(/\s+/g, ' ').trim();
  return words.length > 500 ? `${words.slice(0, 500)}…` : words;
}

/** What the operator reads when a model call has failed for good. Never holds the key. */
export function toModelError(error: unknown, context: ErrorContext): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionError) {
    return new ModelError(
      `${connectionWords(error)} to ${context.host} (${asked(context.attempts)}): check the network, then resume`,
    );
  }
  if (error instanceof APIError && isTooLong(error)) {
    const said = saidBy(error, context.apiKey);
    const status = error.status === undefined ? '' : ` (${error.status})`;
    return new PromptTooLong(
      `the conversation is too long for ${context.model}${status}${said === '' ? '' : `: ${said}`}`,
    );
  }
  if (error instanceof APIError && error.status !== undefined) {
    return new ModelError(statusMessage(error.status, saidBy(error, context.apiKey), error, context));
  }
  if (error instanceof APIError) {
    return new ModelError(`the API broke the reply off: ${saidBy(error, context.apiKey) || 'it did not say why'}`);
  }
  const words = error instanceof Error ? error.message : String(error);
  return new ModelError(`the model could not be asked: ${words.replaceAll(context.apiKey, '[the key]')}`);
}

/** The same failure with what it cost all the same. */
export function withUsage(error: ModelError, usage: Usage | null): ModelError {
  if (usage === null) return error;
  return error instanceof PromptTooLong
    ? new PromptTooLong(error.message, usage)
    : new ModelError(error.message, usage);
}
