import { readFile } from 'node:fs/promises';

/** Limits that cannot be kept as they should be, in words for the operator. */
export const NO_PRLIMIT =
  'prlimit is missing, so how many processes a command starts is only looked at four times a second. Install the package util-linux and start Sayso again.';
export const NO_SIZES =
  'This bubblewrap is older than 0.7, so a command can store as much in /tmp, in its home and in /dev/shm as half of the memory of this machine, in each. Install a newer bubblewrap and start Sayso again.';

/** Why bubblewrap cannot be used here, and what to do about it, in words for the operator. */
export async function bwrapProblem(reason: string | null): Promise<string> {
  if (reason === null) {
    return 'bubblewrap is not installed. Install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap) and start Sayso again.';
  }
  return `bubblewrap does not work here: ${reason.replace(/\.+$/, '')}. ${(await namespaceRemedy()) ?? GENERAL}`;
}

/**
 * The same of unshare.
 * @param told what is said already: a remedy for both is said once
 */
export async function unshareProblem(reason: string | null, told: readonly string[]): Promise<string> {
  if (reason === null) return NO_UNSHARE;
  const remedy = (await namespaceRemedy()) ?? UNSHARE_GENERAL;
  const why = `unshare does not work here: ${reason.replace(/\.+$/, '')}.`;
  return told.some((note) => note.includes(remedy)) ? why : `${why} ${remedy}`;
}

const NO_UNSHARE =
  'unshare and setpriv are not installed. Install them (the package util-linux) and start Sayso again, or better: bubblewrap.';
const UNSHARE_GENERAL = 'Run `unshare --user --pid --net --fork true` in a terminal to see more.';

const GENERAL = 'Run `bwrap --unshare-all --ro-bind / / true` in a terminal to see more.';

/** What keeps a user from making namespaces on this machine; null where nothing is known to. */
export async function namespaceRemedy(read: (path: string) => Promise<string> = setting): Promise<string | null> {
  if ((await read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')) === '1') {
    return 'AppArmor restricts user namespaces: install a profile that allows them for /usr/bin/bwrap (Ubuntu: the package apparmor-profiles has bwrap-userns-restrict).';
  }
  if ((await read('/proc/sys/kernel/unprivileged_userns_clone')) === '0') {
    return 'User namespaces are switched off: set kernel.unprivileged_userns_clone=1 with sysctl.';
  }
  if ((await read('/proc/sys/user/max_user_namespaces')) === '0') {
    return 'User namespaces are switched off: set user.max_user_namespaces to some thousands with sysctl.';
  }
  return null;
}

async function setting(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trim();
}
