import { basename, dirname } from 'node:path';
import { codeOf, fileError } from './file-error';
import { HeldFolder } from './held-folder';
import { lstatOrNull } from './resolve-path';

/** A folder that is held, with what was made to get there. */
export interface HeldWay {
  readonly folder: HeldFolder;
  /** @param made what becomes of the folders that were made; those in which something is stay anyway */
  close(made: 'keep' | 'remove'): Promise<void>;
}

/**
 * Holds a folder, and makes it where it is missing: one folder after the other, each in the one before, never through a
 * link.
 * @param path with no link on the way. @throws ToolError
 */
export async function holdFolder(path: string, shown: string): Promise<HeldWay> {
  const missing: string[] = [];
  let nearest = path;
  while ((await lstatOrNull(nearest, shown)) === null) {
    missing.unshift(basename(nearest));
    nearest = dirname(nearest);
  }
  let folder = await HeldFolder.open(nearest, shown);
  const held = [folder];
  const made: { readonly parent: HeldFolder; readonly name: string }[] = [];
  const close: HeldWay['close'] = async (what) => {
    for (const { parent, name } of what === 'remove' ? made.reverse() : []) {
      await parent.removeFolder(name).catch(() => undefined);
    }
    for (const one of held) await one.close();
  };
  try {
    for (const name of missing) {
      if (await make(folder, name)) made.push({ parent: folder, name });
      folder = await folder.folder(name, shown);
      held.push(folder);
    }
    return { folder, close };
  } catch (error) {
    await close('remove');
    throw fileError(error, shown);
  }
}

/** @returns whether it was missing */
async function make(parent: HeldFolder, name: string): Promise<boolean> {
  try {
    await parent.makeFolder(name);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  const heir = await parent.heir();
  if (heir !== null) await parent.changeOwner(name, heir.uid, heir.gid);
  return true;
}
