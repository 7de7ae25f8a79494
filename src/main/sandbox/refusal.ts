/** Something that the sandbox kept a command from, as far as it can be known. */
export type Refusal =
  /** A path, absolute, that the command could not write or read. */
  | { readonly kind: 'write' | 'read'; readonly path: string }
  /** A connection; host and port where it is known what it was to. Without them, all of the network is meant. */
  | { readonly kind: 'network'; readonly host: string | null; readonly port: number | null };
