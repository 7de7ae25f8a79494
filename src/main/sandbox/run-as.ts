import { readFile, stat } from 'node:fs/promises';
import type { Owner } from './launch';

/**
 * Whom a command runs as: a root app in a folder of another user becomes that user, and anything else stays itself
 * (null). With the user's rights go the user's name and home, as /etc/passwd has them.
 */
export async function ownerOf(workspace: string): Promise<Owner | null> {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = await stat(workspace);
  return uid === 0 ? null : { uid, gid };
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

async function account(uid: number): Promise<{ readonly name: string; readonly home: string }> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  const fields = lines.map((line) => line.split(':')).find((parts) => Number(parts[2]) === uid && parts.length >= 7);
  return { name: fields?.[0] ?? String(uid), home: fields?.[5] || '/nonexistent' };
}
