import { closeSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

/** A page in the middle of a closed store's file that holds part of a long event: nothing reads it at a start. */
export function pageInTheMiddle(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    const pages = database
      .prepare("SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'overflow' ORDER BY pageno")
      .pluck()
      .all();
    const page = pages[Math.floor(pages.length / 2)];
    if (typeof page !== 'number') throw new Error('no event of this store is long enough');
    return page;
  } finally {
    database.close();
  }
}

/** Overwrites the beginning of a page, as a failing disk does. */
export function damagePage(file: string, page: number): void {
  const handle = openSync(file, 'r+');
  try {
    writeSync(handle, Buffer.alloc(64, 0xff), 0, 64, (page - 1) * 4_096);
  } finally {
    closeSync(handle);
  }
}
