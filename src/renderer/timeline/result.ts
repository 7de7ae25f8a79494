import type { CallPreview } from '@shared/requests';
import { z } from 'zod';

const CommandResult = z.object({
  command: z.unknown(),
  exit_code: z.number().nullable(),
  output: z.string(),
  truncated: z.boolean(),
  sandbox_note: z.string().default(''),
});

export type ResultView =
  | {
      readonly is: 'command';
      readonly exitCode: number | null;
      readonly output: string;
      readonly truncated: boolean;
      /** What the sandbox had to say; empty for nothing. */
      readonly note: string;
    }
  | { readonly is: 'text'; readonly text: string };

/**
 * What a call gave back, for reading: a command's output by itself, other JSON set out in lines, text as it is. Only what
 * came of a process is taken for a command's: a file or a server could have the same words in it.
 */
export function readResult(content: string, preview: CallPreview | null): ResultView {
  const start = content.trimStart()[0];
  if (start !== '{' && start !== '[') return { is: 'text', text: content };
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return { is: 'text', text: content };
  }
  const command = CommandResult.safeParse(value);
  if (command.success && (preview === null || preview.kind === 'command')) {
    const { exit_code: exitCode, output, truncated, sandbox_note: note } = command.data;
    return { is: 'command', exitCode, output, truncated, note };
  }
  return { is: 'text', text: JSON.stringify(value, null, 2) };
}

/** The arguments of a call for reading: one row each, text as it is, all else as JSON. */
export function readArguments(inputText: string): readonly { readonly name: string; readonly value: string }[] | null {
  try {
    const value: unknown = JSON.parse(inputText === '' ? '{}' : inputText);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, item]) => ({
      name,
      value: typeof item === 'string' ? item : JSON.stringify(item),
    }));
  } catch {
    return null;
  }
}

/** An argument vector as a shell would have to be given it, for pasting into a terminal. */
export function quoted(argv: readonly string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}
