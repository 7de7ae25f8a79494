import type { Refusal } from '../../sandbox/refusal';

/** Of one server in one run: a list that changes all the time fills no timeline. */
const MAX_NOTICES = 30;
/** Of these, those about hosts that it was kept from: it can ask for as many as it likes. */
const MAX_REFUSED = 5;

export interface ServerNotice {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

/** What the operator is told of one server in one run, as long as that lasts. */
export class Notices {
  #told = 0;
  readonly #refused = new Set<string>();
  #closed = false;

  constructor(
    private readonly serverName: string,
    private readonly notify: (notice: ServerNotice) => void,
  ) {}

  /** @param text goes on after the server's name */
  tell(level: ServerNotice['level'], text: string): void {
    this.#told += 1;
    if (this.#closed || this.#told > MAX_NOTICES) return;
    const last = this.#told === MAX_NOTICES ? ' No more is said about it in this run.' : '';
    this.notify({ level, text: `The MCP server ${this.serverName} ${text}${last}` });
  }

  /** What the sandbox kept it from: of each host once. */
  refused(refusal: Refusal): void {
    const where = refusal.kind === 'network' ? `${refusal.host}:${refusal.port}` : null;
    if (where === null || this.#refused.has(where) || this.#refused.size >= MAX_REFUSED) return;
    this.#refused.add(where);
    const last = this.#refused.size === MAX_REFUSED ? ' Of other hosts nothing is said in this run.' : '';
    this.tell('warning', `was refused ${where}: not among the hosts of the agent file (sandbox.network).${last}`);
  }

  close(): void {
    this.#closed = true;
  }
}
