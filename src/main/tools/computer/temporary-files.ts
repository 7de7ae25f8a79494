import type { HeldFolder } from './held-folder';

/** Of what a kill -9 in the midst of a write leaves. A write takes moments; nothing that is this old is at work. */
const STALE_MS = 60 * 60_000;

const LEFTOVER = /^\.sayso-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Folders that were looked through since the app started. */
const swept = new Set<string>();

/** The only name that the file tools ever give to something of their own. */
export const temporaryName = (id: string): string => `.sayso-${id}.tmp`;

/** Takes away what a crash left in a folder, at the first write there. */
export async function sweepLeftovers(folder: HeldFolder): Promise<void> {
  if (swept.has(folder.path)) return;
  swept.add(folder.path);
  const names = (await folder.entries().catch(() => []))
    .filter(({ kind, shown }) => kind === 'file' && LEFTOVER.test(shown))
    .map(({ name }) => name);
  for (const name of names) {
    const stats = await folder.lstat(name).catch(() => null);
    if (stats !== null && Date.now() - stats.mtimeMs > STALE_MS) await folder.removeFile(name).catch(() => undefined);
  }
}
