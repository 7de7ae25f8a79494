import { posix } from 'node:path';

/** Not files: what is written there is thrown away, shown, or was open anyway. */
const HARMLESS = /^\/dev\/(?:null|zero|full|tty|std(?:in|out|err)|fd(?:\/\d*)?)$/;

const DEVICE = /^\/dev\/(?:[shvx]v?d[a-z]|nvme|mmcblk|disk|mapper|dm-|md\d|loop|sr\d|rdisk|k?mem$|port$)/;

const SOCKET = /^\/dev\/(?:tcp|udp)\//;

const HOME = /^(?:~|\$HOME\b|\$\{HOME\b)/;

const CREDENTIALS =
  /(?:^|[/=@])(?:\.ssh|\.aws|\.gnupg|\.kube|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.docker\/config\.json|id_(?:rsa|dsa|ecdsa|ed25519)|\.env(?:\.(?!example|sample|template)[\w-]+)?)(?:$|\/)|\/etc\/(?:shadow|sudoers)/;

/** Whether a path, as written, lies outside the workspace. A relative one is taken as relative to the workspace. */
export function isOutside(path: string, workspace: string | undefined): boolean {
  if (HARMLESS.test(path)) return false;
  if (HOME.test(path)) return true;
  if (path.startsWith('/')) {
    const inside = workspace === undefined ? '' : posix.relative(workspace, path);
    return workspace === undefined || leaves(inside);
  }
  return leaves(posix.normalize(path));
}

function leaves(relative: string): boolean {
  return relative === '..' || relative.startsWith('../');
}

/** Whether a path names a disk, a partition or the machine's memory. */
export function isDevice(path: string): boolean {
  return DEVICE.test(path);
}

/** Whether a path is bash's own notation for a network connection. */
export function isSocket(path: string): boolean {
  return SOCKET.test(path);
}

/** Whether a path, as written, is discarded, shown or otherwise no file. */
export function isHarmless(path: string): boolean {
  return HARMLESS.test(path);
}

/** Whether a word names one of the usual places of passwords and keys. */
export function namesCredentials(word: string): boolean {
  return CREDENTIALS.test(word);
}
