import { Denial } from '@shared/states';
import { z } from 'zod';

/**
 * The format of a script: what an agent with `provider: scripted` says and calls, turn by turn, with no model behind it.
 *
 *     pace: 30ms                     # between two words, so that it looks alive; none if left out
 *     turns:
 *       - say: Let me look.
 *         calls: [{ tool: list_dir, input: { path: . } }]
 *       - branch:                    # before the turn: the first that fits leads into another section
 *           - { when: { tool: list_dir, error: true }, to: lost }
 *         say: I see it.
 *     sections:
 *       lost:
 *         - say: There is nothing here.
 *       end:                         # answers, again and again, what is asked when the turns are over
 *         - say: My script is over.
 */

const Name = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'write lower-case letters, digits, dashes or underscores');

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** All that is given has to hold. What speaks of a result holds if one of the last results fits all of it. */
export const Condition = z.strictObject({
  /** Only results of this tool. */
  tool: z.string().min(1).optional(),
  /** The call was not allowed: with this outcome, or whatever the outcome. */
  denied: z.union([z.literal('any'), Denial]).optional(),
  /** The result is, or is not, an error. */
  error: z.boolean().optional(),
  /** The result holds this text. */
  contains: z.string().min(1).optional(),
  /** The result is a JSON object with these values. */
  fields: z.record(z.string(), Scalar).optional(),
  /** What the operator wrote since the turn before holds this text, in upper or lower case. */
  message: z.string().min(1).optional(),
});
export type Condition = z.infer<typeof Condition>;

export const ScriptCall = z
  .strictObject({
    tool: z.string().min(1).max(200),
    input: z.record(z.string(), z.unknown()).optional(),
    /** In place of `input`: the arguments exactly as they are to be sent, well-formed or not. */
    inputText: z.string().optional(),
  })
  .refine((call) => call.input === undefined || call.inputText === undefined, {
    error: 'give `input` or `inputText`, not both',
  });
export type ScriptCall = z.infer<typeof ScriptCall>;

/** Milliseconds, written `20ms` or, longer, `2s`. */
const Milliseconds = z.string().transform((text, context) => {
  const match = /^(\d{1,5})(ms|s)$/.exec(text);
  if (match === null) {
    context.addIssue({ code: 'custom', message: `"${text}" is no pause: write 20ms or 2s` });
    return z.NEVER;
  }
  return Number(match[1]) * (match[2] === 's' ? 1_000 : 1);
});

export const ScriptTurn = z.strictObject({
  branch: z
    .array(z.strictObject({ when: Condition, to: Name }))
    .min(1)
    .optional(),
  /** A pause before the turn. */
  wait: Milliseconds.optional(),
  think: z.string().min(1).optional(),
  /** `{{reason}}` stands for the reason that the last denied or negative result gave. */
  say: z.string().min(1).optional(),
  calls: z.array(ScriptCall).min(1).max(20).optional(),
  /** The section that follows this turn. */
  next: Name.optional(),
  /** Ends the reply for this reason in place of the natural one. */
  stop: z.enum(['max_tokens', 'refusal']).optional(),
  /** The model call fails with this message. */
  fail: z.string().min(1).optional(),
});
export type ScriptTurn = z.infer<typeof ScriptTurn>;

const Turns = z.array(ScriptTurn).min(1);

export const Script = z
  .strictObject({
    pace: Milliseconds.prefault('0ms'),
    turns: Turns,
    sections: z.record(Name, Turns).default({}),
  })
  .superRefine((script, context) => {
    const check = (name: string, path: (string | number)[]): void => {
      if (Object.hasOwn(script.sections, name)) return;
      context.addIssue({ code: 'custom', message: `there is no section "${name}"`, path });
    };
    const checkTurns = (turns: readonly ScriptTurn[], path: readonly (string | number)[]): void => {
      for (const [index, turn] of turns.entries()) {
        if (turn.next !== undefined) check(turn.next, [...path, index, 'next']);
        for (const [at, { to }] of (turn.branch ?? []).entries()) check(to, [...path, index, 'branch', at, 'to']);
      }
    };
    checkTurns(script.turns, ['turns']);
    for (const [name, turns] of Object.entries(script.sections)) checkTurns(turns, ['sections', name]);
  });
export type Script = z.infer<typeof Script>;
