import { NEVER_PASSED } from '@shared/agent-file';

const EVERYWHERE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TERM', 'TMPDIR', 'SHELL'];

/** Without these, programs on Windows do not find their own system, profile or temporary folder. */
const WINDOWS = [
  'SystemRoot',
  'SystemDrive',
  'windir',
  'ComSpec',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramData',
  'ProgramFiles',
  'ProgramFiles(x86)',
  'ProgramW6432',
  'CommonProgramFiles',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  'OS',
];

export interface EnvironmentSource {
  /** The app's own environment. */
  readonly app: Readonly<Record<string, string | undefined>>;
  /** As in the agent file: names to pass on, where they exist. */
  readonly pass: readonly string[];
  /** As in the agent file: variables to set, over everything that is passed. */
  readonly set: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
}

/**
 * The whole environment of a command: an allow-list of the app's own, what the agent file passes and sets, LLMFORMAT
 * and SAYSO (semantics: the child process). Everything else of the app's environment stays out.
 * @throws Error when the agent file names a variable that holds a credential of this app.
 */
export function childEnvironment(source: EnvironmentSource): Record<string, string> {
  const windows = source.platform === 'win32';
  const fold = (name: string): string => (windows ? name.toUpperCase() : name);
  for (const name of [...source.pass, ...Object.keys(source.set)]) refuseCredential(name);

  const allowed = new Set([...EVERYWHERE, ...(windows ? WINDOWS : []), ...source.pass].map(fold));
  const child = new Map<string, [string, string]>();
  for (const [name, value] of Object.entries(source.app)) {
    const folded = fold(name);
    if (value === undefined || isCredential(name)) continue;
    if (allowed.has(folded) || folded.startsWith('LC_')) child.set(folded, [name, value]);
  }
  const given = { ...source.set, LLMFORMAT: '1', SAYSO: '1' };
  for (const [name, value] of Object.entries(given)) child.set(fold(name), [name, value]);
  return Object.fromEntries(child.values());
}

const isCredential = (name: string): boolean => (NEVER_PASSED as readonly string[]).includes(name.toUpperCase());

function refuseCredential(name: string): void {
  if (isCredential(name)) throw new Error(`${name} holds a credential of this app and never reaches a command.`);
}
