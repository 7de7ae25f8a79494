import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { type TaskKill, WindowsTree } from '../../../src/main/sandbox/windows-tree';

// There is no Windows here: taskkill is played by what it is known to do, the processes are real.

const living: ChildProcess[] = [];
afterEach(() => {
  for (const child of living.splice(0)) child.kill('SIGKILL');
});

function sleeper(): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
  living.push(child);
  return child.pid ?? -1;
}

async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? -1;
}

const failing =
  (stderr: string): TaskKill =>
  () =>
    Promise.reject(Object.assign(new Error('Command failed'), { stderr }));

it('what taskkill ended is gone', async () => {
  const pid = sleeper();
  const kill: TaskKill = async (asked) => process.kill(asked, 'SIGKILL');
  expect(await new WindowsTree(pid, kill).end()).toEqual({ found: 1, survivors: [] });
});

it('where it fails because nothing was left, nothing is', async () => {
  const pid = await endedProcess();
  const said = `ERROR: The process "${pid}" not found.`;
  expect(await new WindowsTree(pid, failing(said)).end()).toEqual({ found: 0, survivors: [] });
});

it.each([
  [
    'with a reason',
    (pid: number) => `FEHLER: Prozess (PID ${pid}) konnte nicht beendet werden.\r\nGrund: Zugriff verweigert`,
  ],
  ['by its time, without a word', () => ''],
])('where it fails %s, what still runs is reported', async (_, said) => {
  const pid = sleeper();
  expect(await new WindowsTree(pid, failing(said(pid))).end()).toEqual({ found: 1, survivors: [pid] });
});

it('where it ended only the root, the children that it names are reported', async () => {
  const [root, child] = [await endedProcess(), sleeper()];
  const said = `ERROR: The process with PID ${child} (child process of PID ${root}) could not be terminated.\r\nReason: Access is denied.`;
  expect(await new WindowsTree(root, failing(said)).end()).toEqual({ found: 1, survivors: [child] });
});
