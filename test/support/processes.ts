import { readdir, readFile } from 'node:fs/promises';

/** Living processes on whose command line a text stands. */
export function pidsWithArgument(text: string): Promise<number[]> {
  return pidsWith('cmdline', text);
}

/** Living processes in whose environment a text stands. */
export function pidsWithEnvironment(text: string): Promise<number[]> {
  return pidsWith('environ', text);
}

async function pidsWith(file: 'cmdline' | 'environ', text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Gone, or somebody else's, or a zombie that has neither.
      const content = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      return content.includes(text) && pid !== process.pid ? [pid] : [];
    }),
  );
  return found.flat();
}
