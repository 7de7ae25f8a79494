import { afterEach, beforeEach } from 'vitest';
import { AnthropicModel, type AnthropicOptions } from '../../../src/main/models/anthropic';
import type { ModelProgress, ModelReply, ModelRequest } from '../../../src/main/models/model';
import { CallId } from '../../../src/shared/ids';
import { MessagesServer } from '../../support/messages-server';

export const KEY = 'sk-test-0123456789';

/** One server for each test of a file. */
export function serverForEachTest(): { readonly current: MessagesServer } {
  let server: MessagesServer | undefined;
  beforeEach(async () => {
    server = await MessagesServer.start();
  });
  afterEach(async () => {
    await server?.close();
  });
  return {
    get current() {
      if (server === undefined) throw new Error('no server outside a test');
      return server;
    },
  };
}

export function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You are careful.',
    messages: [{ role: 'user', text: 'Hello' }],
    tools: [],
    maxOutputTokens: 4_096,
    thinking: false,
    timeoutMs: 10_000,
    ...overrides,
  };
}

export function model(server: MessagesServer, overrides: Partial<AnthropicOptions> = {}): AnthropicModel {
  return new AnthropicModel({
    model: 'claude-sonnet-4-6',
    apiKey: KEY,
    baseUrl: server.url,
    backoffMs: () => 0,
    ...overrides,
  });
}

export interface Asked {
  readonly progress: ModelProgress[];
  readonly reply: Promise<ModelReply>;
}

/** Asks, and collects what is reported on the way. */
export function ask(of: AnthropicModel, what: ModelRequest = request(), signal = new AbortController().signal): Asked {
  const progress: ModelProgress[] = [];
  const reply = of.reply(what, (one) => progress.push(one), signal);
  // The tests that expect a failure look at it later; it must not count as unhandled until then.
  reply.catch(() => undefined);
  return { progress, reply };
}

export const callId = (id: string): CallId => CallId.parse(id);
