import { RequestId } from '@shared/ids';
import { Answer, type Request } from '@shared/requests';
import { z } from 'zod';
import type { Inbox } from './inbox';

/** What an approver has to give back: the answer, with the request and the digest that it is for. */
export const ApproverReply = z.strictObject({ requestId: RequestId, digest: z.string(), answer: Answer });
export type ApproverReply = z.infer<typeof ApproverReply>;

/**
 * Answers in the operator's place: a terminal, a program behind the control API. Nothing of what it gives back is
 * believed before it was parsed.
 */
export type Approver = (request: Request, signal: AbortSignal) => Promise<unknown>;

/**
 * Puts every open request to an approver. A reply that is not exactly an answer to this very request, and an approver
 * that throws, settle it as failed; one that hangs lets it expire. Nothing of that runs anything.
 * @returns a function that ends it: requests that are still open wait for their deadline
 */
export function attachApprover(inbox: Inbox, approver: Approver): () => void {
  const asked = new Map<RequestId, AbortController>();
  const look = () => {
    const open = new Map(inbox.open().map((request) => [request.id, request]));
    for (const [id, controller] of asked) {
      if (open.has(id)) continue;
      controller.abort();
      asked.delete(id);
    }
    for (const request of open.values()) {
      if (asked.has(request.id)) continue;
      const controller = new AbortController();
      asked.set(request.id, controller);
      void consult(inbox, approver, request, controller.signal);
    }
  };
  const stop = inbox.onChange(look);
  look();
  return () => {
    stop();
    for (const controller of asked.values()) controller.abort();
    asked.clear();
  };
}

async function consult(inbox: Inbox, approver: Approver, request: Request, signal: AbortSignal): Promise<void> {
  let reply: unknown;
  try {
    reply = await approver(request, signal);
  } catch (error) {
    if (!signal.aborted)
      inbox.fail(request.id, `The approver failed: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  if (signal.aborted) return;
  const parsed = ApproverReply.safeParse(reply);
  if (!parsed.success) return inbox.fail(request.id, 'The approver gave no answer that can be understood.');
  if (parsed.data.requestId !== request.id) return inbox.fail(request.id, 'The approver answered for another request.');
  try {
    inbox.answer(request.id, parsed.data.digest, parsed.data.answer);
  } catch (error) {
    inbox.fail(
      request.id,
      `The approver's answer was refused: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
