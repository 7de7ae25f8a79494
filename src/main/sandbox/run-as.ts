import { readFile, stat } from 'node:fs/promises';
import type { Owner } from './launch';

const PASSWD = '/etc/passwd';

/**
 * The group of whom the kernel knows nothing (proc(5), overflowgid): nobody's, with no rights of its own.
 */
const NO_GROUP = 65_534;

/**
 * Whom a command runs as: a root app in a folder of another user becomes that user, and anything else stays itself
 * (null). With the user's rights go the user's name, home and own group, as /etc/passwd has them. Not the folder's group:
 * whoever owns a folder may give it to a group, and `docker` or root's are as good as root. Nor, for a user that is not
 * in the file, the group of the same number, which may be anybody's.
 * @param accounts the file of the users
 */
export async function ownerOf(workspace: string, accounts = PASSWD): Promise<Owner | null> {
  if (process.getuid?.() !== 0) return null;
  const { uid } = await stat(workspace);
  if (uid === 0) return null;
  const { gid } = await account(uid, accounts);
  return { uid, gid };
}

/** The environment for that owner: what names the app's own user names them instead. */
export async function environmentOf(
  owner: Owner | null,
  environment: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  if (owner === null) return environment;
  const { name, home } = await account(owner.uid);
  const given = Object.keys(environment);
  const replaced = Object.entries({ HOME: home, USER: name, LOGNAME: name }).filter(([key]) => given.includes(key));
  return { ...environment, ...Object.fromEntries(replaced) };
}

interface Account {
  readonly name: string;
  readonly home: string;
  readonly gid: number;
}

async function account(uid: number, accounts = PASSWD): Promise<Account> {
  const lines = (await readFile(accounts, 'utf8').catch(() => '')).split('\n');
  // passwd(5): the name, a password, the user, the group, a comment, the home, a shell.
  const fields = lines.map((line) => line.split(':')).find((parts) => parts[2] === String(uid) && parts.length >= 7);
  const gid = /^[1-9]\d*$/.test(fields?.[3] ?? '') ? Number(fields?.[3]) : NO_GROUP;
  return { name: fields?.[0] ?? String(uid), home: fields?.[5] || '/nonexistent', gid };
}
