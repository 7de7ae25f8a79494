/** Lines of what is the same that are shown around what differs. */
export const CONTEXT = 3;

const LINE_FEED = 0x0a;

/** The stretch between the first and the last line that differ, and up to CONTEXT lines before and behind it. */
export interface Differing {
  readonly head: string;
  readonly old: string;
  readonly now: string;
  readonly tail: string;
  /** Of the first line of `head`, counted from 1. */
  readonly line: number;
}

/** Where two texts differ; null where they do not. Takes no array of lines, as a text may have millions of them. */
export function differing(old: string, now: string): Differing | null {
  if (old === now) return null;
  const shortest = Math.min(old.length, now.length);
  let start = 0;
  while (start < shortest && old.charCodeAt(start) === now.charCodeAt(start)) start++;
  start = lineStart(old, start);

  let same = 0;
  while (same < shortest - start && old.charCodeAt(old.length - 1 - same) === now.charCodeAt(now.length - 1 - same)) {
    same++;
  }
  const begins = (text: string, at: number) => at === start || text.charCodeAt(at - 1) === LINE_FEED;
  if (!begins(old, old.length - same) || !begins(now, now.length - same)) {
    const next = old.indexOf('\n', old.length - same);
    same = next === -1 ? 0 : old.length - next - 1;
  }
  let context = start;
  for (let lines = 0; lines < CONTEXT && context > 0; lines++) context = lineStart(old, context - 1);
  const tail = old.slice(old.length - same);
  return {
    head: old.slice(context, start),
    old: old.slice(start, old.length - same),
    now: now.slice(start, now.length - same),
    tail: firstLines(tail, CONTEXT).join(''),
    line: countLineFeeds(old, context) + 1,
  };
}

/** Lines with their ends, so that a last line without one differs from one that has it. */
export function firstLines(text: string, limit: number): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length && lines.length < limit; ) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    lines.push(text.slice(at, next));
    at = next;
  }
  return lines;
}

export function countLines(text: string): number {
  const rest = text === '' || text.endsWith('\n') ? 0 : 1;
  return countLineFeeds(text, text.length) + rest;
}

function countLineFeeds(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) === LINE_FEED) count++;
  return count;
}

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);
