import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Block, type FailureReply, failure, type MessageReply, type Reply, say } from './messages-server/replies';
import { checkBody, type RequestBody } from './messages-server/request-rules';
import { streamSteps, wholeMessage } from './messages-server/stream';

export * from './messages-server/replies';
export type { RequestBody } from './messages-server/request-rules';

export interface RecordedRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: RequestBody;
  /** Resolves when the connection of this request is over, whoever ended it. */
  readonly closed: Promise<void>;
}

type Handler = (request: RecordedRequest) => Reply | Promise<Reply>;

/**
 * A local server that speaks the Messages API: POST /v1/messages, streamed or whole, and what the models endpoint says of
 * a model. It is as strict as the API about
 * what it is sent, and says what a test scripted. Point ANTHROPIC_BASE_URL, or the adapter's base URL, at `url`.
 */
export class MessagesServer {
  /** Every well-formed request, in order of arrival, answered or not. */
  readonly requests: RecordedRequest[] = [];
  /** Every complaint about a malformed request: a test that expects none can check that this is empty. */
  readonly complaints: string[] = [];
  /** The address, without a slash at its end. */
  readonly url: string;

  readonly #server: Server;
  readonly #queue: Reply[] = [];
  readonly #issuedThinking = new Map<string, string>();
  /** What the models endpoint says that a model takes in, by its name; it knows no other model. */
  readonly models = new Map<string, number | null>();
  /** The models that were asked about, in order. */
  readonly askedModels: string[] = [];
  #handler: Handler = () => say('Nothing was scripted for this request.');
  readonly #waiting: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.complaints.push(`the test server failed: ${String(error)}`);
        response.destroy();
      });
    });
  }

  static async start(): Promise<MessagesServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new MessagesServer(server);
  }

  /** Answers the next requests with these, in order; after them the handler answers. */
  enqueue(...replies: readonly Reply[]): void {
    this.#queue.push(...replies);
  }

  /** Answers every request for which nothing is queued. */
  respond(handler: Handler): void {
    this.#handler = handler;
  }

  /** Resolves with the `count`th well-formed request (from 1) as soon as it has arrived. */
  async waitForRequest(count: number): Promise<RecordedRequest> {
    for (;;) {
      const request = this.requests[count - 1];
      if (request !== undefined) return request;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Ends every connection and the server. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.url).pathname;
    const model = request.method === 'GET' ? /^\/v1\/models\/([^/]+)$/.exec(path)?.[1] : undefined;
    if (model === undefined && (request.method !== 'POST' || path !== '/v1/messages')) {
      return this.#refuse(response, failure(404, `Not Found: ${request.method} ${path}`));
    }
    const { 'x-api-key': key, authorization } = request.headers;
    if (!key && !authorization?.startsWith('Bearer ')) {
      return this.#refuse(response, failure(401, 'x-api-key header is required'));
    }
    if (!request.headers['anthropic-version']) {
      return this.#refuse(response, failure(400, 'anthropic-version: header is required'));
    }
    if (model !== undefined) return this.#describe(response, model);
    const checked = checkBody(await readJson(request), this.#issuedThinking);
    if (!checked.ok) return this.#refuse(response, failure(400, checked.message));

    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const recorded: RecordedRequest = { headers: request.headers, body: checked.body, closed };
    this.requests.push(recorded);
    for (const wake of this.#waiting.splice(0)) wake();
    const reply = this.#queue.shift() ?? (await this.#handler(recorded));
    if (reply.kind === 'silence') return;
    if (reply.kind === 'failure') return sendFailure(response, reply);
    this.#remember(reply.blocks);
    const of = { id: `msg_${String(this.requests.length).padStart(4, '0')}`, model: checked.body.model };
    if (checked.body.stream !== true) return sendJson(response, 200, wholeMessage(of, reply));
    await sendStream(response, of, reply);
  }

  #describe(response: ServerResponse, model: string): void {
    this.askedModels.push(model);
    const tokens = this.models.get(model);
    if (tokens === undefined) sendFailure(response, failure(404, `model: ${model}`));
    else
      sendJson(response, 200, {
        type: 'model',
        id: model,
        display_name: model,
        max_input_tokens: tokens,
        max_tokens: 8_192,
      });
  }

  #refuse(response: ServerResponse, reply: FailureReply): void {
    this.complaints.push(reply.message);
    sendFailure(response, reply);
  }

  #remember(blocks: readonly Block[]): void {
    for (const block of blocks) {
      if (block.type !== 'thinking') continue;
      const words = block.pieces.filter((piece): piece is string => typeof piece === 'string');
      this.#issuedThinking.set(block.signature, words.join(''));
    }
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test', ...headers });
  response.end(JSON.stringify(body));
}

function sendFailure(response: ServerResponse, reply: FailureReply): void {
  const body = { type: 'error', error: { type: reply.type, message: reply.message }, request_id: 'req_test' };
  sendJson(response, reply.status, body, reply.headers);
}

async function sendStream(
  response: ServerResponse,
  of: { readonly id: string; readonly model: string },
  reply: MessageReply,
): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': 'req_test',
  });
  response.flushHeaders();
  const write = (text: string): Promise<void> =>
    Promise.race([new Promise<void>((resolve) => response.write(text, () => resolve())), closed]);

  for (const step of streamSteps(of, reply)) {
    if (response.destroyed) return;
    switch (step.do) {
      case 'event':
        await write(`event: ${step.event}\ndata: ${JSON.stringify(step.data)}\n\n`);
        break;
      case 'raw':
        await write(step.text);
        break;
      case 'wait':
        await Promise.race([step.gate.pass(), closed]);
        break;
      case 'cut':
        response.destroy();
        return;
      case 'stall':
        await closed;
        return;
    }
  }
  response.end();
}
