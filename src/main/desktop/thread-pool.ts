/**
 * Threads for files and names. A call to a file system that does not answer holds one up for ever, and the four that
 * libuv has by default would soon be gone, and with them everything that the app does with files. File tools take at most
 * LANES (tools/file-lane.ts) times a few of these. They cost nothing until they are used.
 */
export const THREADS = 40;

// libuv reads it once, when the pool is first used: this module has to be the first that is imported.
process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
