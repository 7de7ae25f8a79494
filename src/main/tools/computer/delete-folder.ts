import type { HeldFolder, Name } from './held-folder';

/**
 * Deletes a folder with all that is in it. Level by level, each from the one above that is held: what is swapped for a
 * link meanwhile is a link then, and deleted as one.
 * @throws ToolError
 */
export async function deleteFolder(parent: HeldFolder, name: Name, shown: string, signal: AbortSignal): Promise<void> {
  const folder = await parent.folder(name, shown);
  try {
    for (const entry of await folder.entries()) {
      signal.throwIfAborted();
      if (entry.kind === 'folder') await deleteFolder(folder, entry.name, shown, signal);
      else await folder.removeFile(entry.name);
    }
  } finally {
    await folder.close();
  }
  await parent.removeFolder(name);
}
