import { Lexer } from 'yaml';

/** Of brackets in brackets: more than any agent file or description has. */
const MAX_BRACKETS = 100;

/** In columns, of what stands before an entry of a block; each level of one takes at least one. */
const MAX_INDENT = 200;

/** What the lexer puts between the pieces of a text, and is no part of it. */
const MARKS = ['\u0002', '\u0018', '\u001f'];
const INDENT = /^(?:[ \t]+|[-?:])$/u;

/**
 * Where a YAML text becomes nested too deeply to be read, as an offset; null where it does not. What reads it goes as deep as
 * the text, and at the end of the stack V8 may end the whole process instead of throwing an error: it is looked at before.
 */
export function nestedTooDeeply(text: string): number | null {
  let offset = 0;
  let brackets = 0;
  let indent: number | null = 0;
  for (const token of new Lexer().lex(text)) {
    if (MARKS.includes(token)) continue;
    if (token === '[' || token === '{') brackets += 1;
    if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1);
    if (token.endsWith('\n')) indent = 0;
    else if (indent !== null) indent = INDENT.test(token) ? indent + token.length : null;
    if (brackets > MAX_BRACKETS || (brackets === 0 && (indent ?? 0) > MAX_INDENT)) return offset;
    offset += token.length;
  }
  return null;
}

/** The same of what it was read to: aliases put what they name one into the other, and it may be deeper than the text. */
export function isTooDeep(value: unknown, levels: number = MAX_BRACKETS + MAX_INDENT): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isTooDeep(item, levels - 1));
}
