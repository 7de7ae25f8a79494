import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isEnvironmentVariant } from './protected';
import { Unseen } from './unseen';

/** The variants of `.env` that are in a workspace. @throws Unseen where it may not be looked into */
export async function environmentVariants(workspace: string): Promise<string[]> {
  const names = await readdir(workspace).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') return [];
    throw new Unseen(`what is protected in ${workspace} cannot be seen (EACCES): open it (chmod u+rwx)`);
  });
  return names.filter(isEnvironmentVariant).map((name) => join(workspace, name));
}
