import { ToolError } from '../tool';

/** What went wrong with a file, in words. */
export function fileError(error: unknown, shown: string): ToolError {
  const code = codeOf(error);
  const words = MESSAGES[code] ?? (error instanceof Error ? error.message : String(error));
  return error instanceof ToolError ? error : new ToolError(`${shown}: ${words}.`);
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const MESSAGES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file or a link, not a folder',
  ELOOP: 'links on the way lead in a circle, or to something that changed meanwhile',
  EACCES: 'this app may not open it',
  EPERM: 'this app may not change it',
  EISDIR: 'it is a folder',
  ENOTEMPTY: 'something came into it meanwhile',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'no space is left for this user on the disk',
  EROFS: 'the disk is read-only',
  EXDEV: 'it would go to another disk, which cannot be done in one step',
  ENXIO: 'it is not a regular file',
};
