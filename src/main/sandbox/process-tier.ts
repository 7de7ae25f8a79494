import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Call } from './call';
import type { ProcessEnd, ProcessIo, ProcessResult, ProcessSpec, Sandbox } from './process';
import { explainUnresolved, resolveProgram } from './program';
import { CALL_MARK, callMark } from './reap';

/**
 * The tier without confinement: a command gets its environment, its folder and its own process group, and its whole
 * tree ends with it; nothing keeps it from files or the network. A process that means to escape the end can (by
 * clearing its environment, leaving its session and its parent and closing its output, all between two looks), so
 * nothing is called enforced.
 * @param instanceId stable for one data folder, so that the next start of the app finds what a crash left.
 */
export function createProcessTier(instanceId: string): Sandbox {
  return {
    tier: {
      name: 'process',
      label: 'process only',
      files: 'not-enforced',
      network: 'not-enforced',
      processes: 'not-enforced',
      privileges: 'not-enforced',
    },
    run: (spec, io) => runCall(callMark(instanceId, randomUUID()), spec, io),
  };
}

async function runCall(mark: string, spec: ProcessSpec, io: ProcessIo): Promise<ProcessResult> {
  const began = performance.now();
  const unstarted = (end: ProcessEnd): ProcessResult => ({
    end,
    output: '',
    truncated: false,
    durationMs: Math.round(performance.now() - began),
  });
  try {
    const found = await findProgram(spec);
    if ('problem' in found) return unstarted({ type: 'not-started', message: found.problem });
    if (io.signal.aborted) return unstarted({ type: 'stopped' });
    const call = new Call({ ...spec, environment: { ...spec.environment, [CALL_MARK]: mark } }, io);
    return await call.run(found.program, `${CALL_MARK}=${mark}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return unstarted({ type: 'not-started', message: `${spec.argv[0]} cannot be started: ${why}.` });
  }
}

async function findProgram({
  argv,
  cwd,
  environment,
}: ProcessSpec): Promise<{ program: string } | { problem: string }> {
  const texts = [...argv, cwd, ...Object.entries(environment).flat()];
  if (texts.some((text) => text.includes('\0'))) return { problem: 'A command cannot hold a NUL character (U+0000).' };
  const folder = await stat(cwd).catch(() => null);
  if (folder === null) return { problem: `${argv[0]} cannot be started: the folder ${cwd} does not exist.` };
  if (!folder.isDirectory()) return { problem: `${argv[0]} cannot be started: ${cwd} is not a folder.` };
  const program = await resolveProgram(argv[0], { cwd, environment });
  return program === null ? { problem: await explainUnresolved(argv[0], { cwd, environment }) } : { program };
}
