import { drained } from './drain';
import { serverFooting } from './footing';
import type { Launcher } from './launch';
import type { OpenProcess, OpenSpec, ProcessSpec } from './process';
import { type Command, findCommand } from './run-command';
import { start } from './start';

/**
 * Starts a process that stays, the way a tier starts its commands: same environment, mark and owner, same end of its
 * whole tree. Unlike a command it has a stdin, and its outputs are apart.
 * @throws Error with words for model and operator, where it cannot be started
 */
export async function openProcess(
  instanceId: string,
  given: OpenSpec,
  launcher: (command: Command) => Launcher,
): Promise<OpenProcess> {
  const spec: ProcessSpec = { ...given, timeoutMs: Number.POSITIVE_INFINITY };
  const command = await findCommand(instanceId, spec);
  if ('problem' in command) throw new Error(command.problem);
  return startServer(launcher(command), spec.argv[0]);
}

async function startServer(launcher: Launcher, name: string): Promise<OpenProcess> {
  const footing = serverFooting();
  const launching = await launcher.plan({ firstFd: footing.firstFd, pipe: null });
  const started = await start(launching, footing, { name });
  if ('type' in started) {
    await launching.conclude?.(started, '');
    throw new Error(started.type === 'not-started' ? started.message : `${name} cannot be started.`);
  }
  const { stdin, stdout, stderr } = started.child;
  if (stdin === null || stdout === null || stderr === null) throw new Error(`${name} was started without pipes.`);
  // Whoever ends it, its pipes break; how it ended is told by the process.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => stream.destroy());
  let ending: Promise<unknown> | null = null;
  const endTree = async (): Promise<void> => {
    ending ??= started.end();
    await ending;
  };
  const ended = started.exit.then(async (end) => {
    await endTree();
    await Promise.all([stdout, stderr].map(drained));
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    return (await launching.conclude?.(end, ''))?.end ?? end;
  });
  return { stdin, stdout, stderr, ended, end: endTree };
}
