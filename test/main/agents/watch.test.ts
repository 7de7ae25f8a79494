import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { AgentWatcher, type Watched } from '../../../src/main/agents/watch';
import { folderForEachTest } from './agents-folder';

const folder = folderForEachTest();
const watchers: AgentWatcher[] = [];
afterEach(() => {
  for (const watcher of watchers.splice(0)) watcher.close();
});

/** Counts changes; `next` waits for one that comes after it was asked for. */
function watching(watched: Watched) {
  let count = 0;
  let wake = (): void => undefined;
  const watcher = new AgentWatcher(() => {
    count += 1;
    wake();
  });
  watchers.push(watcher);
  watcher.watch(watched);
  const change = async (make: () => Promise<unknown>): Promise<number> => {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await make();
    await changed;
    return count;
  };
  return { change, count: () => count };
}

test('a saved file is one change, however an editor saves it', async () => {
  const { change } = watching({ folders: [folder.path], files: [] });
  expect(await change(() => writeFile(join(folder.path, 'a.agent.yaml'), 'name: a\n'))).toBe(1);
  const replaced = async () => {
    await writeFile(join(folder.path, 'tmp'), 'name: b\n');
    await rename(join(folder.path, 'tmp'), join(folder.path, 'a.agent.yaml'));
  };
  expect(await change(replaced)).toBe(2);
  expect(await change(() => rm(join(folder.path, 'a.agent.yaml')))).toBe(3);
});

test('a folder that is not there yet is seen when it is made, and what is put into it', async () => {
  const agents = join(folder.path, 'agents');
  const { change } = watching({ folders: [agents], files: [] });
  await change(() => mkdir(agents));
  await change(() => writeFile(join(agents, 'a.agent.yaml'), 'name: a\n'));
});

test('a single file is watched in its folder, and nothing else there', async () => {
  const file = join(folder.path, 'a.tools.yaml');
  const { change, count } = watching({ folders: [], files: [file] });
  await writeFile(join(folder.path, 'other'), 'x');
  await change(() => writeFile(file, 'name: a\n'));
  expect(count()).toBe(1);
});
