import type { ProcessEnd, ProcessResult } from '../sandbox/process';
import type { ToolOutput } from './tool';

/**
 * What the model is told of a process (semantics: the child process). A non-zero exit is a normal result; only a failure
 * to start is an error.
 * @throws what the signal was aborted with, if the process was stopped.
 */
export function processOutput(
  command: readonly string[],
  result: ProcessResult,
  timeoutMs: number,
  signal: AbortSignal,
): ToolOutput {
  const { end, output, truncated, notes = [], refused = [] } = result;
  signal.throwIfAborted();
  if (end.type === 'not-started') return { content: end.message, isError: true };
  const exitCode = end.type === 'exited' ? end.exitCode : null;
  const ended = end.type === 'exited' ? {} : { ended: describeEnd(end, timeoutMs) };
  const noted = notes.length === 0 ? {} : { sandbox_note: notes.join(' ') };
  const content = JSON.stringify({ command, exit_code: exitCode, ...ended, output, truncated, ...noted });
  if (end.type !== 'exited' || end.exitCode === 0 || refused.length === 0) return { content, isError: false };
  return { content, isError: false, refused: { exitCode: end.exitCode, from: refused } };
}

function describeEnd(end: Exclude<ProcessEnd, { type: 'exited' | 'not-started' }>, timeoutMs: number): string {
  switch (end.type) {
    case 'timed-out':
      return `timed out after ${timeoutMs / 1_000} s`;
    case 'signalled':
      return `ended by signal ${end.signal}`;
    case 'stopped':
      return 'stopped';
  }
}
