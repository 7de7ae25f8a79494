import Database from 'better-sqlite3';

/** What is wrong with the store or its disk, and what to do about it; for the operator. */
export interface Trouble {
  readonly message: string;
  readonly remedy: string;
}

const KEPT = 'What is on record stays; nothing new runs before it can be put on record.';

const NOT_WRITTEN = 'Choose another place, or make it writable. Nothing was written there.';

/** What happens with a store in which damage was found while it was open. */
export const DAMAGED: Trouble = {
  message: 'The store is damaged.',
  remedy:
    'Quit Sayso and start it again: it then checks the whole store, and offers to set it aside and to restore the last backup. Until then no new backup is made.',
};

const BY_CODE: readonly (readonly [prefix: string, trouble: Trouble])[] = [
  ['SQLITE_FULL', { message: 'The disk is full.', remedy: `Make room on it. ${KEPT}` }],
  [
    'SQLITE_BUSY',
    { message: 'The store is locked by another program.', remedy: `Close whatever has it open. ${KEPT}` },
  ],
  [
    'SQLITE_READONLY',
    { message: 'The store cannot be written to.', remedy: `Make its file and its folder writable. ${KEPT}` },
  ],
  ['SQLITE_IOERR', { message: 'The disk of the store fails.', remedy: `Look whether it is full or broken. ${KEPT}` }],
  ['SQLITE_CORRUPT', DAMAGED],
  [
    'ENOSPC',
    { message: 'The disk is full.', remedy: 'Make room on it, or choose another place. Nothing was written there.' },
  ],
  [
    'EDQUOT',
    {
      message: 'Your share of the disk is used up.',
      remedy: 'Make room on it, or choose another place. Nothing was written there.',
    },
  ],
  ['EROFS', { message: 'That disk cannot be written to.', remedy: NOT_WRITTEN }],
  ['EACCES', { message: 'That place cannot be written to.', remedy: NOT_WRITTEN }],
];

/** Other names for what is the same to the operator. */
const ALIASES: Readonly<Record<string, string>> = {
  SQLITE_LOCKED: 'SQLITE_BUSY',
  SQLITE_CANTOPEN: 'SQLITE_READONLY',
  SQLITE_NOTADB: 'SQLITE_CORRUPT',
};

/** What an error of the store or of a file means; null for one that is neither. */
export function troubleOf(error: unknown): Trouble | null {
  const code = codeOf(error);
  if (code === null) return null;
  const known = Object.entries(ALIASES).find(([alias]) => code.startsWith(alias))?.[1] ?? code;
  const found = BY_CODE.find(([prefix]) => known.startsWith(prefix));
  if (found !== undefined) return found[1];
  if (!(error instanceof Database.SqliteError)) return null;
  return { message: `The store failed: ${error.message}.`, remedy: KEPT };
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
