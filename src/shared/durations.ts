import { z } from 'zod';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** "90s", "5m" or "1h" in milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,6})([smh])$/.exec(text);
  if (match === null) return null;
  const unit = UNITS[match[2] as keyof typeof UNITS];
  return Number(match[1]) * unit;
}

/** A duration as an agent file spells it, read as milliseconds, within bounds given in milliseconds. */
export function duration(minMs: number, maxMs: number) {
  return z.string().transform((text, context) => {
    const ms = parseDuration(text);
    if (ms === null) {
      context.addIssue({ code: 'custom', message: `"${text}" is no duration: write 90s, 5m or 1h` });
      return z.NEVER;
    }
    if (ms < minMs || ms > maxMs) {
      context.addIssue({
        code: 'custom',
        message: `"${text}" is outside ${minMs / 1000}s to ${maxMs / 1000}s`,
      });
      return z.NEVER;
    }
    return ms;
  });
}
