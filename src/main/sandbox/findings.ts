/** One thing that the probe tries. */
export type AttemptName =
  | 'write-outside'
  | 'read-secret'
  | 'change-kernel'
  | 'loopback'
  | 'host-socket'
  | 'abstract-socket'
  | 'vsock'
  | 'gain-privileges'
  | 'outlive';

/** What the notes of a tier say of each attempt that succeeds. */
export const SUCCEEDED: Readonly<Record<AttemptName, string>> = {
  'write-outside': 'A command can write outside its workspace.',
  'read-secret': 'A command can read files outside its workspace.',
  'change-kernel': 'A command can change settings of the kernel.',
  loopback: 'A command can reach servers on this machine.',
  'host-socket': 'A command can reach sockets such as those of docker and ssh-agent.',
  'abstract-socket': 'A command can reach abstract sockets such as that of the desktop.',
  vsock: 'A command can reach the host of this virtual machine (vsock).',
  'gain-privileges': 'A command can gain privileges.',
  outlive: 'A command can leave processes behind.',
};

const TOLD: ReadonlySet<string> = new Set(Object.values(SUCCEEDED));

/** Whether a note says what does not hold, rather than why, or what to do about it. */
export const isFinding = (note: string): boolean => TOLD.has(note);
