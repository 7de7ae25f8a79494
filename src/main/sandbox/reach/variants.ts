import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isEnvironmentVariant } from './protected';

/** The variants of `.env` that are in a workspace. */
export async function environmentVariants(workspace: string): Promise<string[]> {
  const names = await readdir(workspace).catch(() => []);
  return names.filter(isEnvironmentVariant).map((name) => join(workspace, name));
}
