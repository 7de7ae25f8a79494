/** Something that the sandbox kept a command from, as far as it can be known. Nothing of it is believed before a check. */
export type Refusal =
  /** An absolute path. `access`: it could not be reached, and it is not known for what. */
  | { readonly kind: 'write' | 'read' | 'access'; readonly path: string }
  /** A connection; host and port where it is known what it was to. Without them, all of the network is meant. */
  | { readonly kind: 'network'; readonly host: string | null; readonly port: number | null };
