import type { PreparedCall, ToolOutput } from '../tools/tool';
import { Batcher } from './batcher';
import type { Call, CallEnvironment } from './call-environment';

/** How much of a command's output is journaled while it runs; the result holds its beginning and its end. */
const LIVE_BYTES = 65_536;
const LIVE_INTERVAL_MS = 100;

/** Runs a call whose start is on record, and records its live output and its result. */
export async function executeCall(
  { block, turn }: Call,
  prepared: PreparedCall,
  { record, context, signal }: CallEnvironment,
): Promise<void> {
  const { id: callId, name: tool } = block;
  const began = Date.now();
  let shown = 0;
  const live = new Batcher<{ text: string; bytes: number }>(LIVE_INTERVAL_MS, (pieces) => {
    const text = pieces
      .map((piece) => piece.text)
      .join('')
      .slice(0, LIVE_BYTES - shown);
    shown += text.length;
    record.append([{ type: 'call_output', callId, text, bytes: pieces.at(-1)?.bytes ?? 0 }], 'batched');
  });
  const output = await bounded(prepared, context.toolTimeoutMs, signal, (text, bytes) => live.add({ text, bytes }));
  live.flush();
  const durationMs = Date.now() - began;
  record.append([{ type: 'call_result', turn, callId, tool, ...output, durationMs }]);
}

/** One call within its time. Whatever goes wrong in it is its result: what was started must end on record. */
async function bounded(
  prepared: PreparedCall,
  timeoutMs: number,
  signal: AbortSignal,
  onOutput: (text: string, bytes: number) => void,
): Promise<ToolOutput> {
  const abort = new AbortController();
  const stop = () => abort.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => abort.abort(new Error(`timed out after ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    return await prepared.execute({ signal: abort.signal, onOutput });
  } catch (error) {
    if (signal.aborted)
      return { content: 'This call was ended before it was done: the run was stopped.', isError: true };
    return { content: error instanceof Error ? error.message : String(error), isError: true };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
