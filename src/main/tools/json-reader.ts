import { MAX_JSON_DEPTH } from '@shared/json';
import { quoted } from './quoted';
import { ToolError } from './tool';

/** A JSON value that keeps what JavaScript's own parser loses: the spelling of numbers and the order of all keys. */
export type JsonNode =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'null' }
  | { readonly type: 'array'; readonly items: readonly JsonNode[] }
  | { readonly type: 'object'; readonly entries: readonly (readonly [string, JsonNode])[] };

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids raw control characters in strings.
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
const HEX4 = /^[0-9a-fA-F]{4}$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** What may stand after a backslash and, at the same place below, what it means. */
const ESCAPED = '"\\/bfnrt';
const MEANT = '"\\/\b\f\n\r\t';

/** Reads one text, once; see parseJsonExact. */
export class JsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): JsonNode {
    const node = this.value(1);
    this.take(SPACE);
    if (this.at < this.text.length) this.fail(`unexpected ${this.here()} after the end of the value`);
    return node;
  }

  private value(depth: number): JsonNode {
    if (depth > MAX_JSON_DEPTH) this.fail(`nested deeper than ${MAX_JSON_DEPTH} levels`);
    this.take(SPACE);
    switch (this.text[this.at]) {
      case '{':
        return { type: 'object', entries: this.entries(depth) };
      case '[':
        return { type: 'array', items: this.items(depth) };
      case '"':
        return { type: 'string', value: this.string() };
      case 't':
        this.word('true');
        return { type: 'boolean', value: true };
      case 'f':
        this.word('false');
        return { type: 'boolean', value: false };
      case 'n':
        this.word('null');
        return { type: 'null' };
      default: {
        const number = this.take(NUMBER);
        if (number === '') this.fail(`expected a value, found ${this.here()}`);
        return { type: 'number', text: number };
      }
    }
  }

  private entries(depth: number): [string, JsonNode][] {
    const entries: [string, JsonNode][] = [];
    const seen = new Set<string>();
    this.at++;
    if (this.skipTo('}')) return entries;
    do {
      this.take(SPACE);
      if (this.text[this.at] !== '"') this.fail(`expected a key in double quotes, found ${this.here()}`);
      const key = this.string();
      if (seen.has(key)) this.fail(`the key ${quoted(key)} stands twice`);
      seen.add(key);
      if (!this.skipTo(':')) this.fail(`expected ":" after the key ${quoted(key)}, found ${this.here()}`);
      entries.push([key, this.value(depth + 1)]);
    } while (this.skipTo(','));
    if (!this.skipTo('}')) this.fail(`expected "," or "}", found ${this.here()}`);
    return entries;
  }

  private items(depth: number): JsonNode[] {
    const items: JsonNode[] = [];
    this.at++;
    if (this.skipTo(']')) return items;
    do {
      items.push(this.value(depth + 1));
    } while (this.skipTo(','));
    if (!this.skipTo(']')) this.fail(`expected "," or "]", found ${this.here()}`);
    return items;
  }

  private string(): string {
    const start = this.at++;
    const parts: string[] = [];
    for (;;) {
      parts.push(this.take(PLAIN_TEXT));
      const char = this.text[this.at];
      if (char === '"') break;
      if (char === undefined) this.fail('the text ends inside a string');
      if (char !== '\\') this.fail(`a raw control character (${hex(char)}) inside a string`);
      parts.push(this.escape());
    }
    this.at++;
    const value = parts.join('');
    if (LONE_SURROGATE.test(value)) {
      this.at = start;
      this.fail('this string is not valid Unicode: it holds half of a surrogate pair');
    }
    return value;
  }

  private escape(): string {
    const char = this.text[this.at + 1] ?? '';
    if (char === 'u') {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!HEX4.test(digits)) this.fail('\\u needs four hexadecimal digits');
      this.at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const value = char === '' ? '' : MEANT.charAt(ESCAPED.indexOf(char));
    if (value === '') this.fail(`\\${char} is no escape of JSON`);
    this.at += 2;
    return value;
  }

  private word(word: string): void {
    if (!this.text.startsWith(word, this.at)) this.fail(`expected a value, found ${this.here()}`);
    this.at += word.length;
  }

  private skipTo(char: string): boolean {
    this.take(SPACE);
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private here(): string {
    const code = this.text.codePointAt(this.at);
    return code === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(code));
  }

  private fail(problem: string): never {
    throw new ToolError(`Not valid JSON at character ${this.at + 1}: ${problem}.`);
  }
}

const hex = (char: string): string => `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
