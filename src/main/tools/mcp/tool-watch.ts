import { type ServerDefinition, ServerError } from './server';
import { serverText } from './server-text';
import { type ListedTool, listTools, type Offer, offerTools } from './tool-list';

/** A list that was read this recently is the list as it is now, in milliseconds. */
export const FRESH_MS = 500;
/** How many new tools are named. */
const MAX_NAMED = 5;

interface Change {
  readonly key: string;
  readonly text: string;
}

/**
 * What a server lists, against what it listed when the run began: that, as it was then, is all that the run ever calls.
 */
export class ToolWatch {
  /** The hashes of what the run may call. */
  #offered: ReadonlyMap<string, string> = new Map();
  /** All that was listed when the run began, what was left out included. */
  #known: ReadonlySet<string> = new Set();
  #listed: { readonly tools: ReadonlyMap<string, ListedTool>; readonly at: number } | null = null;
  /** Changes that were told of, and that still hold. */
  #told: ReadonlySet<string> = new Set();

  /** Whether the list as it is now is known, and was read just now. */
  get isFresh(): boolean {
    return this.#listed !== null && performance.now() - this.#listed.at < FRESH_MS;
  }

  /** Whether the server that is there now has shown its list at all. */
  get isKnown(): boolean {
    return this.#listed !== null;
  }

  /** The list when the run begins: what of it the run is offered. */
  begin(server: ServerDefinition, items: readonly unknown[]): Offer {
    const { tools, twice } = listTools(items);
    const offer = offerTools(server, tools.values());
    this.#offered = new Map(offer.tools.map(({ name, hash }) => [name, hash]));
    this.#known = new Set([...tools.keys(), ...twice]);
    this.#listed = { tools, at: performance.now() };
    const problems = [...twice].map((name) => `The tool ${shown(name)} is left out: it is listed twice.`);
    return { tools: offer.tools, problems: [...offer.problems, ...problems] };
  }

  /** The list as it is now. @returns what changed since it was read last, in words that follow the server's name */
  read(items: readonly unknown[]): readonly string[] {
    const { tools } = listTools(items);
    this.#listed = { tools, at: performance.now() };
    const changes = this.#changes(tools);
    const news = changes.filter(({ key }) => !this.#told.has(key));
    this.#told = new Set(changes.map(({ key }) => key));
    return news.map(({ text }) => text);
  }

  /** The list has to be read again before anything is called. */
  outdate(): void {
    if (this.#listed !== null) this.#listed = { ...this.#listed, at: Number.NEGATIVE_INFINITY };
  }

  /** The server is gone, and its list with it. */
  forget(): void {
    this.#listed = null;
  }

  /** @throws ServerError unless the tool is, by the list that was read last, the one that the run was offered */
  refuseOther(name: string): void {
    const now = this.#listed?.tools.get(name);
    if (now === undefined) throw new ServerError(`does not offer the tool ${shown(name)} any more`);
    if (now.hash === this.#offered.get(name)) return;
    throw new ServerError(`has changed the tool ${shown(name)} since this run began: only the next run can use it`);
  }

  #changes(tools: ReadonlyMap<string, ListedTool>): readonly Change[] {
    const differing = [...this.#offered].flatMap(([name, hash]): Change[] => {
      const now = tools.get(name);
      if (now === undefined) return [{ key: `- ${name}`, text: `does not offer ${shown(name)} any more.` }];
      if (now.hash === hash) return [];
      const text = `has changed ${shown(name)}. This run cannot use it any more; the next one can.`;
      return [{ key: `~ ${name}`, text }];
    });
    const added = [...tools.keys()].filter((name) => !this.#known.has(name));
    if (added.length === 0) return differing;
    const named = added.slice(0, MAX_NAMED).map(shown).join(', ');
    const more = added.length > MAX_NAMED ? ` and ${added.length - MAX_NAMED} more` : '';
    const text = `offers new tools: ${named}${more}. They are for the next run.`;
    return [...differing, { key: `+ ${added.join()}`, text }];
  }
}

const shown = (name: string): string => serverText(name, 100);
