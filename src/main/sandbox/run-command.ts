import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Call } from './call';
import type { Launcher, Owner } from './launch';
import type { ProcessEnd, ProcessIo, ProcessResult, ProcessSpec } from './process';
import { explainUnresolved, resolveProgram } from './program';
import { CALL_MARK, callMark } from './reap';
import { environmentOf, ownerOf } from './run-as';

/** A command that can be started: what was asked for, and what was found out about it. */
export interface Command {
  /** With the environment that the child really gets, the mark included. */
  readonly spec: ProcessSpec;
  /** The absolute path of the program. */
  readonly program: string;
  /** `NAME=value` in the environment that tells the tree. */
  readonly mark: string;
  readonly owner: Owner | null;
}

/** Runs one command the way a tier starts it. Never rejects. */
export async function runCommand(
  instanceId: string,
  spec: ProcessSpec,
  io: ProcessIo,
  launcher: (command: Command) => Launcher,
): Promise<ProcessResult> {
  const began = performance.now();
  const unstarted = (end: ProcessEnd): ProcessResult => ({
    end,
    output: '',
    truncated: false,
    durationMs: Math.round(performance.now() - began),
  });
  try {
    const command = await findCommand(instanceId, spec);
    if ('problem' in command) return unstarted({ type: 'not-started', message: command.problem });
    if (io.signal.aborted) return unstarted({ type: 'stopped' });
    return await new Call(spec, io).run(launcher(command));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return unstarted({ type: 'not-started', message: `${spec.argv[0]} cannot be started: ${why}.` });
  }
}

/**
 * Finds out what is to be started, and as whom.
 * @returns the problem, in words for model and operator, where it cannot be
 */
export async function findCommand(instanceId: string, spec: ProcessSpec): Promise<Command | { problem: string }> {
  const owning = ownerOf(spec.workspace);
  // What is said about the program comes first.
  owning.catch(() => undefined);
  const found = await findProgram(spec);
  if ('problem' in found) return found;
  const owner = await owning;
  const mark = callMark(instanceId, randomUUID());
  const environment = { ...(await environmentOf(owner, spec.environment)), [CALL_MARK]: mark };
  return { spec: { ...spec, environment }, program: found.program, mark: `${CALL_MARK}=${mark}`, owner };
}

async function findProgram({
  argv,
  cwd,
  environment,
}: ProcessSpec): Promise<{ program: string } | { problem: string }> {
  const texts = [...argv, cwd, ...Object.entries(environment).flat()];
  if (texts.some((text) => text.includes('\0'))) return { problem: 'A command cannot hold a NUL character (U+0000).' };
  const [folder, program] = await Promise.all([
    stat(cwd).catch(() => null),
    resolveProgram(argv[0], { cwd, environment }),
  ]);
  if (folder === null) return { problem: `${argv[0]} cannot be started: the folder ${cwd} does not exist.` };
  if (!folder.isDirectory()) return { problem: `${argv[0]} cannot be started: ${cwd} is not a folder.` };
  return program === null ? { problem: await explainUnresolved(argv[0], { cwd, environment }) } : { program };
}
