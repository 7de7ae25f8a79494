const ESC = 0x1b;
const BEL = 0x07;
/** String terminator, eight-bit; its seven-bit form is ESC and a backslash. */
const ST = 0x9c;
const CSI = 0x9b;
const OSC = 0x9d;

/** Controls that a string of bytes for the terminal follows: DCS, SOS, OSC, PM, APC. */
const STRING_CONTROLS: ReadonlySet<number> = new Set([0x90, 0x98, OSC, 0x9e, 0x9f]);

const isControl = (unit: number) => unit < 0x20 || (unit >= 0x7f && unit < 0xa0);
const isIntermediate = (unit: number) => unit >= 0x20 && unit < 0x30;
const isParameter = (unit: number) => unit >= 0x30 && unit < 0x40;
const isFinal = (unit: number) => unit >= 0x40 && unit < 0x7f;

/**
 * A text without terminal control sequences (ECMA-48: CSI, OSC, DCS, SOS, PM, APC and two-character escapes, in seven-
 * and eight-bit form; BEL ends an OSC too).
 *
 * Of a sequence that never ends only the beginning that a terminal would swallow as its own goes: the introducer, and
 * for CSI its parameters. The text behind an unterminated string stays, so that nobody can hide half a question behind
 * one. What is left of stray controls is not removed here; the caller makes it visible.
 */
export function stripTerminalSequences(text: string): string {
  let kept = '';
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const end = sequenceEnd(text, at);
    if (end === at) {
      at += 1;
      continue;
    }
    kept += text.slice(from, at);
    from = end;
    at = end;
  }
  return kept + text.slice(from);
}

/** Where the sequence that starts at `at` ends; `at` itself where none starts. */
function sequenceEnd(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit === ESC) return escapeEnd(text, at);
  if (unit === CSI) return csiEnd(text, at + 1);
  if (STRING_CONTROLS.has(unit)) return stringEnd(text, at + 1, unit);
  return unit === ST ? at + 1 : at;
}

function escapeEnd(text: string, at: number): number {
  const second = text.charCodeAt(at + 1);
  // ESC and a character of this column is the seven-bit form of a C1 control.
  const c1 = second >= 0x40 && second < 0x60 ? second + 0x40 : 0;
  if (c1 === CSI) return csiEnd(text, at + 2);
  if (STRING_CONTROLS.has(c1)) return stringEnd(text, at + 2, c1);
  let end = at + 1;
  while (isIntermediate(text.charCodeAt(end))) end += 1;
  const last = text.charCodeAt(end);
  return isParameter(last) || isFinal(last) ? end + 1 : end;
}

function csiEnd(text: string, start: number): number {
  let end = start;
  while (isParameter(text.charCodeAt(end))) end += 1;
  while (isIntermediate(text.charCodeAt(end))) end += 1;
  return isFinal(text.charCodeAt(end)) ? end + 1 : end;
}

/** The end of a terminated string, or `start` where a control other than its terminator breaks it off. */
function stringEnd(text: string, start: number, control: number): number {
  let end = start;
  while (end < text.length && !isControl(text.charCodeAt(end))) end += 1;
  const unit = text.charCodeAt(end);
  if (unit === ST || (unit === BEL && control === OSC)) return end + 1;
  return unit === ESC && text[end + 1] === '\\' ? end + 2 : start;
}
