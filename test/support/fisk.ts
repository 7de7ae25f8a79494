import { resolve } from 'node:path';

/** The folder of the stand-in Fisk application `depot`: for the PATH. */
export const DEPOT_FOLDER = resolve(__dirname, '../fixtures/depot');
export const DEPOT = resolve(DEPOT_FOLDER, 'depot');
