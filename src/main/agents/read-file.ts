import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

/** Far more than any agent file or script needs. */
const MAX_BYTES = 1024 * 1024;

export type FileText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

const failed = (message: string): FileText => ({ ok: false, message });

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

function openingProblem(error: unknown): FileText {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return failed('the file is not there');
  if (code === 'EACCES' || code === 'EPERM') return failed('the file cannot be read: its permissions forbid it');
  if (code === 'ELOOP') return failed('this is a symbolic link: put the file itself here');
  return failed(`the file cannot be read (${code ?? String(error)})`);
}

/**
 * The text of a small file that somebody else may have put there: regular, at most 1 MiB, UTF-8. Links are refused, so
 * that what is listed in a folder is what lies in it; a pipe or a device never blocks the app.
 */
export async function readSmallTextFile(path: string): Promise<FileText> {
  try {
    const before = await lstat(path);
    if (before.isSymbolicLink()) return failed('this is a symbolic link: put the file itself here');
    if (!before.isFile()) return failed('this is not a regular file');
    // Again after opening: the file may have been exchanged in between.
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return failed('this is not a regular file');
      if (stat.size > MAX_BYTES)
        return failed(`the file is too large: ${stat.size} bytes, at most ${MAX_BYTES} are read`);
      const buffer = Buffer.alloc(MAX_BYTES + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
        length += bytesRead;
        if (length > MAX_BYTES) return failed(`the file is too large: at most ${MAX_BYTES} bytes are read`);
        if (bytesRead === 0) break;
      }
      return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length)) };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return failed('the file is not UTF-8 text: save it as UTF-8');
    return openingProblem(error);
  }
}
