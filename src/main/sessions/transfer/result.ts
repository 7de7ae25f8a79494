import type { CallPreview } from '@shared/requests';
import { z } from 'zod';

const CommandResult = z.object({
  exit_code: z.number().nullable(),
  output: z.string(),
  truncated: z.boolean(),
  ended: z.string().optional(),
  sandbox_note: z.string().optional(),
});

export interface ReadResult {
  readonly text: string;
  /** Of a command that ended by itself. */
  readonly exitCode: number | null;
  /** What there is to say beside it. */
  readonly note: string;
}

/**
 * What a call gave back, for reading: the output of a command by itself, everything else as it is. Only what came of a
 * process is taken for a command's: a file or a server could have the same words in it.
 */
export function readResult(content: string, preview: CallPreview['kind'] | null): ReadResult {
  const command = preview === 'command' ? CommandResult.safeParse(parsed(content)) : null;
  if (command?.success !== true) return { text: content, exitCode: null, note: '' };
  const { output, exit_code: exitCode, truncated, ended, sandbox_note: said } = command.data;
  const notes = [ended, said, truncated ? 'the middle of a long output was left out' : undefined];
  return { text: output, exitCode, note: notes.filter((note) => note !== undefined).join('; ') };
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
