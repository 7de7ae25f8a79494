import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

/** Whether a file system that never answers can be made here: by root, on Linux with FUSE. */
export const canHang = isPossible();

function isPossible(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !['x64', 'arm64'].includes(process.arch))
    return false;
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Mounts a file system that nobody serves on a folder: whatever is asked of it waits for ever.
 * @returns what ends it: all that waits fails then
 */
export async function hungMount(folder: string): Promise<() => void> {
  const number = process.arch === 'x64' ? 165 : 40;
  const script = `
    use Fcntl; sysopen(my $fuse, "/dev/fuse", O_RDWR) or die "fuse: $!"; my $fd = fileno($fuse);
    my ($number, $folder) = @ARGV; $number += 0;
    my ($source, $type) = ("hung", "fuse"); my $options = "fd=$fd,rootmode=40000,user_id=0,group_id=0";
    syscall($number, $source, $folder, $type, 0, $options) == 0 or die "mount: $!";
    $| = 1; print "ready\\n"; <STDIN>;`;
  const server = spawn('perl', ['-e', script, String(number), folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  await ready(server);
  return () => {
    server.kill('SIGKILL');
    execFileSync('umount', ['--lazy', folder]);
  };
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    server.stdout?.once('data', () => resolve());
    server.once('exit', (code) => reject(new Error(`It could not be mounted: ${code}.`)));
  });
}
