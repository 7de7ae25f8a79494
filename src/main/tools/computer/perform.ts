import { ToolError, type ToolIo, type ToolOutput } from '../tool';

/**
 * Runs what a call does: its text is the result, and what goes wrong is an error result. Throws only when the call was
 * stopped.
 */
export async function perform(io: ToolIo, work: () => Promise<string>): Promise<ToolOutput> {
  io.signal.throwIfAborted();
  try {
    return { content: await work(), isError: false };
  } catch (error) {
    io.signal.throwIfAborted();
    if (error instanceof ToolError) return { content: error.message, isError: true };
    return { content: `It failed: ${error instanceof Error ? error.message : String(error)}`, isError: true };
  }
}
