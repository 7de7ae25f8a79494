import { setTimeout as wait } from 'node:timers/promises';
import type { EventOf } from '../../src/shared/events';
import type { Answer, Request } from '../../src/shared/requests';
import { type Block, type Gate, type MessageReply, message, text, toolCall } from '../support/messages-server';

/**
 * What is drilled: one run, from its prompt to its last word. The model speaks slowly, so that there is a middle of what
 * it says; its commands leave lines in a ledger, so that what ran, and how often, can be told without asking the store.
 */

/** About as long as the app collects words before it puts them on record. */
const WORD_MS = 30;

/** A moment between two words. */
const PAUSE: Gate = { reached: Promise.resolve(), open: () => {}, pass: () => wait(WORD_MS) };

/** The step that writes beyond the workspace: the sandbox keeps it from that until the operator lets it run once more. */
export const REACHING = 8;

interface Turn {
  readonly say?: string;
  readonly calls?: readonly (readonly [tool: string, input: object])[];
}

const step = (tool: 'look' | 'act' | 'keep' | 'reach', number: number) => [tool, { number: String(number) }] as const;

const TURNS: readonly Turn[] = [
  { say: 'I shall look around before I change anything here.', calls: [step('look', 1), step('act', 2)] },
  { say: 'Now something that you may not want at all.', calls: [step('act', 3), step('look', 4)] },
  { calls: [['ask_human_confirm', { question: 'Shall I go on?' }]] },
  { say: 'I go on, and do the same thing twice.', calls: [step('keep', 5), step('keep', 6)] },
  { calls: [step('act', 7), step('reach', REACHING)] },
  { say: 'All of it is done, and here is what I did.' },
];

/** Steps that the operator declines. */
export const DECLINED = [3];

/** The model's reply to a conversation: the same one whenever the same point of it is reached. */
export function replyTo(messages: readonly { readonly role: string }[]): MessageReply {
  const index = messages.filter(({ role }) => role === 'assistant').length;
  const { say, calls = [] } = TURNS[index] ?? { say: 'My script is over.' };
  const words = say?.split(/(?<= )/).flatMap((word) => [word, PAUSE]) ?? [];
  const blocks: Block[] = say === undefined ? [] : [text(...words)];
  for (const [at, [tool, input]] of calls.entries()) {
    blocks.push(toolCall(`toolu_${index}_${at}`, tool, JSON.stringify(input)));
  }
  return message(blocks);
}

/** The program in the workspace: `drill-step look -- 1`. */
export const PROGRAM = 'drill-step';

/** It has a child in a session of its own, as a daemon would. */
export const programText = (outside: string) => `#!/bin/sh
echo "begin $3" >> ledger
setsid sleep 600 > /dev/null 2>&1 &
echo "step $3 begins"
sleep 0.11
echo "step $3 goes on"
sleep 0.05
if [ "$1" = reach ]; then echo "step $3" > ${outside}/reached || exit 2; fi
echo "end $3" >> ledger
echo "step $3 is done"
`;

/** The files of the agent, whose commands are those of the program. */
export function agentFiles(workspace: string): Record<string, string> {
  const number = { name: 'number', required: true, help: 'Which step' };
  const command = (name: string, tag: string) => ({ name, help: `Do a step: ${name}`, tags: [tag], args: [number] });
  const manifest = {
    name: 'drill',
    program: `${workspace}/${PROGRAM}`,
    commands: [
      command('look', 'ai:read_only'),
      command('act', 'ai:additive'),
      command('keep', 'ai:additive'),
      command('reach', 'ai:additive'),
    ],
  };
  const agent = {
    name: 'driller',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    computer: false,
    applications: [{ manifest: './drill.tools.yaml' }],
    harness: { human_in_the_loop: { enabled: true } },
  };
  return { 'driller.agent.yaml': JSON.stringify(agent), 'drill.tools.yaml': JSON.stringify(manifest) };
}

/** The number of the step that a call does. */
export function stepOfCall({ preview }: Pick<EventOf<'call_started'>, 'preview'>): number {
  return preview.kind === 'command' ? Number(preview.argv.at(-1)) : Number.NaN;
}

/** The number of the step that a request is about; null for one that is about none. */
function stepOf(request: Request): number | null {
  if (request.kind === 'question') {
    const [, number] = /"number":"(\d+)"/.exec(request.question) ?? [];
    return number === undefined ? null : Number(number);
  }
  return stepOfCall(request);
}

/** Where `It is done` and `Run it again` stand among the answers about a call that may already have run. */
const DONE = 1;
export const AGAIN = 2;

/**
 * The operator: declines the third step, remembers the fifth, and looks into the ledger before they say whether a step
 * that may already have run is to run again.
 * @param begun the steps that the ledger says were begun
 */
export function decide(request: Request, begun: readonly number[]): Answer {
  const number = stepOf(request);
  if (request.kind === 'approval') {
    if (number === null || DECLINED.includes(number)) return { type: 'decline', reason: 'not this one' };
    return { type: 'approve', remember: number === 5 ? 'session' : null };
  }
  switch (request.answer.form) {
    case 'confirm':
      return { type: 'confirm', confirmed: true };
    case 'input':
      return { type: 'input', value: 'as the ledger says' };
    case 'select':
      // What the sandbox kept it from is still to be done.
      if (number === REACHING || number === null || !begun.includes(number)) return { type: 'select', selected: AGAIN };
      return { type: 'select', selected: DONE };
  }
}
