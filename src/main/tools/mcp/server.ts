/** Where an MCP server is. */
export type ServerReach =
  | { readonly kind: 'stdio'; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: 'http'; readonly url: string };

/** One MCP server of an agent, resolved. */
export interface ServerDefinition {
  readonly name: string;
  readonly reach: ServerReach;
  /** The agent file says that this server's read-only annotations are true. */
  readonly trustReadOnly: boolean;
}

/** Why a server cannot be used, or what it did wrong: in words for model and operator. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
}

/** The server as the operator knows it: its argument vector or its address. */
export function reachInWords(reach: ServerReach): string {
  return reach.kind === 'http' ? reach.url : reach.argv.map(quoted).join(' ');
}

const quoted = (token: string): string => (/^[\w@%+=:,./-]+$/.test(token) ? token : JSON.stringify(token));

/** What went wrong, in the words of whatever was thrown, for model and operator. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
