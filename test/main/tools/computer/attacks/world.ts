import { execFile } from 'node:child_process';
import { chmod, link, lstat, mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** In every file that is none of the workspace's business. */
export const SECRET = 'SECRET-27182818';

const FILES: Readonly<Record<string, string>> = {
  'ws/file': 'inside\n',
  'ws/sub/file': 'inside\n',
  'ws/taken': 'inside\n',
  'ws/.git/HEAD': 'ref: refs/heads/main\n',
  'ws/.git/config': '[core]\n',
  'ws/.git/hooks/pre-commit': 'exit 0\n',
  'ws/.env': 'A=1\n',
  'ws/real-envrc': 'A=1\n',
  'ws/kept/file': 'kept\n',
  'ws/app-data/secret': SECRET,
  'ws-evil/file': SECRET,
  'outside/file': SECRET,
  'outside/deep/file': SECRET,
  'outside/hard': 'shared\n',
  'opened/file': 'opened\n',
  'opened/kept/file': 'kept\n',
  'opened-evil/file': SECRET,
  'readable/file': 'readable\n',
};

const LINKS: Readonly<Record<string, string>> = {
  'ws/to-outside': '../outside',
  'ws/to-outside-absolute': 'TOP/outside',
  'ws/to-outside-file': '../outside/file',
  'ws/to-sibling': '../ws-evil',
  'ws/to-root': '/',
  'ws/to-parent': '..',
  'ws/to-new-outside': '../outside/new',
  'ws/to-chain': 'sub/to-chain-2',
  'ws/sub/to-chain-2': '../to-outside',
  'ws/sub/up': '../..',
  'ws/dangling': 'nowhere',
  'ws/dangling-outside': '/nonexistent/sayso/file',
  'ws/loop': 'loop',
  'ws/loop-a': 'loop-b',
  'ws/loop-b': 'loop-a',
  'ws/to-proc': '/proc/self',
  'ws/to-environ': '/proc/self/environ',
  'ws/to-device': '/dev/zero',
  'ws/to-opened': '../opened',
  'ws/to-readable': '../readable',
  'ws/to-app-data': 'app-data',
  'ws/to-git': '.git',
  'ws/to-kept': 'kept',
  'ws/.envrc': 'real-envrc',
  'ws/good': 'sub',
  'opened/to-outside': '../outside',
  'to-readable': 'readable',
  alias: 'ws',
};

/** A workspace with everything in it that could lead out, and what lies around it. */
export async function makeWorld(top: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), text);
  }
  for (const [path, target] of Object.entries(LINKS)) await symlink(target.replace('TOP', top), join(top, path));
  await link(join(top, 'outside/hard'), join(top, 'ws/hard'));
  await writeFile(join(top, 'ws/sparse'), '');
  await truncate(join(top, 'ws/sparse'), 2 ** 40);
  await leaveSocket(join(top, 'ws/socket'));
  await mkdir(join(top, 'ws/odd'));
  await writeFile(Buffer.concat([Buffer.from(join(top, 'ws/odd/')), Buffer.from([0x61, 0xff, 0xfe])]), 'inside\n');
  // Only root can make a device; another special file stands in for it.
  const special =
    process.getuid?.() === 0
      ? 'mkfifo fifo; mknod null-device c 1 3; mknod zero-device c 1 5'
      : 'mkfifo fifo null-device zero-device';
  await run('sh', ['-c', special], { cwd: join(top, 'ws') });
  await chmod(join(top, 'outside/file'), 0o640);
}

/** A socket stays when its server ends without having been closed; closing takes it away, so a link keeps it. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(`${path}.listening`, resolve));
  await link(`${path}.listening`, path);
  await new Promise((resolve) => server.close(resolve));
}

/** Everything outside, to the last byte, and everything that is protected. */
export async function snapshot(top: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const look = async (path: string): Promise<void> => {
    const stats = await lstat(join(top, path)).catch(() => null);
    if (stats === null) {
      lines.push(`${path}: nothing`);
      return;
    }
    const { mode, ino, size, mtimeMs } = stats;
    const isFolder = stats.isDirectory();
    // Of a hard link the number and so the time of change may differ, not what is in it.
    const content = stats.isFile() ? await readFile(join(top, path), 'utf8') : '';
    lines.push([path, mode, ino, isFolder ? '' : size, mtimeMs, content].join(' '));
    if (isFolder) for (const name of (await readdir(join(top, path))).sort()) await look(join(path, name));
  };
  for (const path of ['outside', 'ws-evil', 'opened-evil', 'opened/kept', 'readable', 'ws/app-data', 'ws/kept'])
    await look(path);
  for (const path of ['config', 'hooks', 'modules', 'commondir']) await look(`ws/.git/${path}`);
  for (const name of ['.env', '.env.local', '.env.d', '.envrc', 'real-envrc', '.vscode', '.mcp.json'])
    await look(`ws/${name}`);
  lines.push((await readdir(top)).sort().join());
  return lines;
}
