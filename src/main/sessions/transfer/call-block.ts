import { allAllowanceWords } from '@shared/allowances';
import type { EventOf } from '@shared/events';
import type { CallPreview, DisplayToken, Settlement } from '@shared/requests';
import { decisionWords, denialWords, requestFacts, tookWords } from './call-words';
import type { Mark, Tone } from './entry';
import { readResult } from './result';

/** One call with all that happened to it, or one question with its answer. */
export interface CallBlock {
  readonly kind: 'call';
  readonly at: number;
  readonly tool: string;
  readonly tone: Tone;
  readonly marks: readonly Mark[];
  /** As it was shown; empty where only the model's arguments are known. */
  readonly command: readonly DisplayToken[];
  /** Of a command, the first row is the program; of the rest, it is the tool. */
  readonly preview: CallPreview['kind'] | null;
  readonly inputText: string;
  /** What was asked, where the call is a question for the operator. */
  readonly question: string | null;
  readonly facts: readonly string[];
  readonly diff: string | null;
  /** What it gave back; of a command that ran twice, both times. */
  readonly outputs: readonly { readonly note: string; readonly text: string }[];
  readonly durationMs: number | null;
  readonly started: boolean;
  /** Where the sandbox kept a command from something: whether it has run again since. null: it was kept from nothing. */
  readonly ranAgain: boolean | null;
  /** Nothing more can happen to it. */
  readonly over: boolean;
}

export type CallEvent = EventOf<
  'request_opened' | 'request_settled' | 'call_started' | 'call_refused' | 'call_result' | 'tool_denied'
>;

export function newCall(tool: string, inputText: string, at: number): CallBlock {
  return {
    kind: 'call',
    at,
    tool,
    tone: 'plain',
    marks: [],
    command: [],
    preview: null,
    inputText,
    question: null,
    facts: [],
    diff: null,
    outputs: [],
    durationMs: null,
    started: false,
    ranAgain: null,
    over: false,
  };
}

/** A call after one more of its events. Pure. */
export function changed(call: CallBlock, body: CallEvent): CallBlock {
  switch (body.type) {
    case 'request_opened':
      return asked(call, body.request);
    case 'request_settled': {
      const mark = decisionWords(body.settlement, body.afterMs);
      const outputs = [...call.outputs, ...answered(body.settlement)];
      return { ...call, tone: mark.tone, marks: marked(call, mark), outputs };
    }
    case 'call_started': {
      const { tool, command, preview, allowedBy, allows = [] } = body;
      const marks = allowedBy === 'grant' ? marked(call, { tone: 'plain', words: 'remembered' }) : call.marks;
      const more = allows.length === 0 ? [] : [`this once it may also: ${allAllowanceWords(allows)}`];
      const ranAgain = call.ranAgain === null ? null : true;
      return {
        ...call,
        tool,
        command,
        ...shown(preview),
        marks,
        facts: joined(call.facts, more),
        started: true,
        ranAgain,
      };
    }
    case 'call_refused': {
      const { text } = readResult(body.content, call.preview);
      const note = `exit code ${body.exitCode} after ${tookWords(body.durationMs)}: the sandbox kept it from something`;
      return { ...call, tool: body.tool, outputs: [...call.outputs, { note, text }], ranAgain: false };
    }
    case 'call_result': {
      const { tool, isError, durationMs } = body;
      const { text, exitCode, note } = lastOutput(call, body);
      const outputs = text === '' && note === '' ? call.outputs : [...call.outputs, { note, text }];
      const ended = { ...call, tool, outputs, durationMs, over: true };
      if (isError) {
        const words = call.started ? 'error' : 'invalid: nothing ran';
        return { ...ended, tone: 'bad', marks: marked(call, { tone: 'bad', words }) };
      }
      const exit: Mark = { tone: 'bad', words: `exit ${exitCode}` };
      return { ...ended, tone: 'ok', marks: exitCode === null || exitCode === 0 ? call.marks : marked(call, exit) };
    }
    case 'tool_denied': {
      const denial = denialWords(body.outcome);
      // The operator's decision is there already, with their own words.
      const known = call.marks.some(({ tone }) => tone === 'bad' || tone === 'stop');
      const marks = known ? call.marks : marked(call, denial);
      return { ...call, tool: body.tool, tone: denial.tone, marks, over: true };
    }
  }
}

/** A call at the end of its run. Pure. */
export function closed(call: CallBlock): CallBlock {
  if (call.over) return call;
  const mark: Mark = call.started
    ? { tone: 'bad', words: 'no result: it may have run' }
    : { tone: 'stop', words: 'not run: the run ended before' };
  const decided = call.marks.some(({ tone }) => tone === 'stop');
  return { ...call, tone: mark.tone, marks: decided ? call.marks : marked(call, mark), over: true };
}

function asked(call: CallBlock, request: EventOf<'request_opened'>['request']): CallBlock {
  const facts = joined(call.facts, requestFacts(request));
  const waiting = { ...call, tool: request.tool, tone: 'wait' as const, facts };
  if (request.kind === 'question') return { ...waiting, question: request.question };
  return { ...waiting, command: request.command, ...shown(request.preview) };
}

/** What the result of a call adds to what there is of it: after a run that was refused something, only what is new. */
function lastOutput(
  { ranAgain, preview }: CallBlock,
  { content, durationMs }: EventOf<'call_result'>,
): ReturnType<typeof readResult> {
  const result = readResult(content, preview);
  if (ranAgain === null) return result;
  if (!ranAgain) return { ...result, text: '' };
  const came = result.exitCode === null ? 'ran again' : `ran again, exit code ${result.exitCode}`;
  return { ...result, note: [`${came} after ${tookWords(durationMs)}`, result.note].filter(Boolean).join('; ') };
}

/** What the operator typed, where that is the answer. */
function answered({ answer }: Settlement): CallBlock['outputs'] {
  return answer?.type === 'input' && answer.value !== null ? [{ note: 'your answer', text: answer.value }] : [];
}

function shown(preview: CallPreview): Pick<CallBlock, 'preview' | 'diff'> {
  return { preview: preview.kind, diff: preview.kind === 'file' ? preview.diff : null };
}

function marked({ marks }: CallBlock, mark: Mark): readonly Mark[] {
  return marks.some(({ words }) => words === mark.words) ? marks : [...marks, mark];
}

function joined(before: readonly string[], more: readonly string[]): readonly string[] {
  return [...before, ...more.filter((fact) => !before.includes(fact))];
}
