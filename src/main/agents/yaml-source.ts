import type { FileProblem } from '@shared/agent-file';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
} from 'yaml';
import { isTooDeep, nestedTooDeeply } from './yaml-nesting';

/** A file may name the same thing in several places; more than this is an attack on memory. */
const MAX_ALIASES = 100;

type Path = readonly PropertyKey[];
export interface Place {
  readonly line: number;
  readonly column: number;
}

const START: Place = { line: 1, column: 1 };

export type ParsedYaml =
  | { readonly ok: true; readonly source: YamlSource }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

const TOO_DEEP = 'nested too deeply';

/** YAML's own complaints in plainer words, by their code. */
const SYNTAX: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this key is there twice: remove one of the two',
  TAB_AS_INDENT: 'tabs cannot indent in YAML: use spaces',
  BLOCK_AS_IMPLICIT_KEY: 'two keys on one line, or a line indented by mistake: put text that holds ": " in quotes',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line: check the indentation',
  NON_STRING_KEY: 'a key must be text',
  TAG_RESOLVE_FAILED: 'tags such as !name are not allowed here',
  BAD_ALIAS: 'this alias is malformed',
  RESOURCE_EXHAUSTION: TOO_DEEP,
};

/** A parsed YAML document that knows where everything stands. */
export class YamlSource {
  readonly value: unknown;
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(document: Document, lines: LineCounter, value: unknown) {
    this.#document = document;
    this.#lines = lines;
    this.value = value;
  }

  /** Where the value of a path stands; where there is none, the nearest thing around it that is there. */
  placeOf(path: Path): Place {
    return this.#find(path, 'value');
  }

  /** Where the last key of a path stands. */
  placeOfKey(path: Path): Place {
    return this.#find(path, 'key');
  }

  #find(path: Path, want: 'key' | 'value'): Place {
    let node = this.#resolve(this.#document.contents);
    let best = node?.range?.[0] ?? 0;
    for (const [depth, part] of path.entries()) {
      const last = depth === path.length - 1;
      if (isMap(node)) {
        const pair = pairOf(node.items, part);
        if (pair === undefined) break;
        const key = isNode(pair.key) ? pair.key.range?.[0] : undefined;
        const value = isNode(pair.value) ? pair.value : null;
        const empty = value === null || (isScalar(value) && value.value === null && (value.source ?? '') === '');
        best = (last && want === 'key') || empty ? (key ?? best) : (value?.range?.[0] ?? best);
        node = this.#resolve(value);
      } else if (isSeq(node)) {
        const item: unknown = node.items[Number(part)];
        if (!isNode(item)) break;
        best = item.range?.[0] ?? best;
        node = this.#resolve(item);
      } else break;
    }
    return place(this.#lines, best);
  }

  #resolve(node: unknown): Node | null {
    if (isAlias(node)) return node.resolve(this.#document) ?? null;
    return isNode(node) ? node : null;
  }
}

function pairOf(pairs: readonly Pair<unknown, unknown>[], name: PropertyKey): Pair<unknown, unknown> | undefined {
  return pairs.find(({ key }) => String(isScalar(key) ? key.value : key) === String(name));
}

function place(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return line === 0 ? START : { line, column: col };
}

const refused = (message: string, at: Place = START): ParsedYaml => ({ ok: false, problems: [{ message, ...at }] });

function unresolvedAlias(document: Document): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Alias: (_, node) => {
      if (node.resolve(document) !== undefined) return undefined;
      offset = node.range?.[0];
      return visit.BREAK;
    },
  });
  return offset;
}

/** Reads one YAML document, strictly: one document, no key twice, no tags, keys that are text, aliases bounded. */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const deep = nestedTooDeeply(text);
  if (deep !== null) {
    const before = text.slice(0, deep).split('\n');
    return refused(TOO_DEEP, { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
  }
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
    strict: true,
    stringKeys: true,
    uniqueKeys: true,
    version: '1.2',
  });
  if (!Array.isArray(documents)) return refused('the file is empty');
  const [document, second] = documents as Document.Parsed[];
  if (document === undefined) return refused('the file is empty');
  const complaints = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  // Only the first: what follows a syntax error is mostly its consequence.
  const [complaint] = complaints;
  if (complaint !== undefined) {
    const message = SYNTAX[complaint.code] ?? `YAML: ${complaint.message.split('\n')[0] ?? ''}`;
    return refused(message, place(lines, complaint.pos[0]));
  }
  if (second !== undefined) {
    return refused('more than one YAML document: one file describes one thing', place(lines, second.range[0]));
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return isTooDeep(value) ? refused(TOO_DEEP) : { ok: true, source: new YamlSource(document, lines, value) };
  } catch (error) {
    const offset = unresolvedAlias(document);
    if (offset !== undefined)
      return refused(
        'this alias names nothing before it; put quotes around a text that begins with *',
        place(lines, offset),
      );
    if (error instanceof ReferenceError) return refused('too many aliases');
    throw error;
  }
}
