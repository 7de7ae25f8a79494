import { Refusal } from '../runs/refusal';
import { isSound, lastBackup, restoreBackup, setAside } from '../sessions/backups';
import { DamagedStore, openDatabase } from '../sessions/database';

/**
 * Puts a damaged store aside, whole, and its last backup in its place, or nothing.
 * @returns where the damaged one is now
 * @throws Refusal when the store is not damaged, or there is no sound backup: then nothing was moved
 */
export async function recoverDamaged(home: string, from: 'backup' | 'empty'): Promise<string> {
  const opened = await openDatabase(home).catch((error: unknown) => {
    if (error instanceof DamagedStore) return null;
    throw error;
  });
  if (opened !== null) {
    opened.database.close();
    throw new Refusal('refused', 'The store is not damaged any more. Start Sayso again.');
  }
  const backup = from === 'backup' ? await lastBackup(home) : null;
  if (from === 'backup' && backup === null) {
    throw new Refusal('not-found', 'There is no backup.', 'Go on with an empty store; the damaged one is kept.');
  }
  if (backup !== null && !isSound(backup)) {
    throw new Refusal(
      'refused',
      `The last backup is damaged, too: ${backup.path}.`,
      'Restore another one by hand, or go on with an empty store; both are kept.',
    );
  }
  const aside = await setAside(home, Date.now());
  if (backup !== null) await restoreBackup(home, backup);
  return aside;
}
