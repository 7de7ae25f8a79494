import { allAllowanceWords } from '@shared/allowances';
import type { EventBody } from '@shared/events';
import type { DisplayToken, GatedBy, Request, Settlement } from '@shared/requests';

/** One entry of an exported timeline, before it is Markdown or HTML. */
export interface Entry {
  readonly tone: 'said' | 'answer' | 'wait' | 'work' | 'done' | 'fail' | 'quiet';
  /** Who or what: "you", "agent", a tool. */
  readonly who: string;
  /** A few words beside it: how a call ended, who decided. */
  readonly note: string;
  /** Prose, as it was written. */
  readonly prose?: string;
  /** Rows of a command, one an element. */
  readonly command?: readonly DisplayToken[];
  /** Output, a diff: as it is. */
  readonly output?: string;
  readonly facts?: readonly string[];
}

/** What an event shows in an exported timeline: nothing where it only streamed what a later one holds whole. Pure. */
export function entriesOf(body: EventBody): Entry[] {
  switch (body.type) {
    case 'run_started': {
      const note = `${body.agent} · ${body.model} · ${body.mode} · sandbox: ${body.sandbox.label}`;
      return [{ tone: 'quiet', who: body.resumed ? 'run resumed' : 'run started', note, facts: [body.workspace] }];
    }
    case 'user_message':
      return [{ tone: 'said', who: 'you', note: '', prose: body.text }];
    case 'assistant_message':
      return body.blocks.flatMap((block): Entry[] => {
        if (block.type === 'text') return [{ tone: 'answer', who: 'agent', note: '', prose: block.text }];
        if (block.type === 'thinking') return [{ tone: 'quiet', who: 'agent', note: 'thinks', prose: block.text }];
        return [];
      });
    case 'request_opened':
      return [requestEntry(body.request)];
    case 'request_settled':
      return [
        {
          tone: body.settlement.outcome === 'approved' ? 'done' : 'fail',
          who: 'decision',
          ...decided(body.settlement),
        },
      ];
    case 'call_started': {
      const { preview } = body;
      const note = { ungated: 'runs', operator: 'runs, approved by you', grant: 'runs, by a remembered approval' };
      const diff = preview.kind === 'file' ? { output: preview.diff } : {};
      const { allows = [] } = body;
      const facts = allows.length === 0 ? {} : { facts: [`this once it may also: ${allAllowanceWords(allows)}`] };
      return [{ tone: 'work', who: body.tool, note: note[body.allowedBy], command: body.command, ...diff, ...facts }];
    }
    case 'call_refused': {
      const note = `ended with exit code ${body.exitCode}, ${body.durationMs} ms; the sandbox kept it from something`;
      return [{ tone: 'done', who: body.tool, note, output: body.content }];
    }
    case 'call_result': {
      const note = `${body.isError ? 'failed' : 'ok'}, ${body.durationMs} ms`;
      return [{ tone: body.isError ? 'fail' : 'done', who: body.tool, note, output: body.content }];
    }
    case 'tool_denied':
      return [{ tone: 'fail', who: body.tool, note: `not carried out: ${body.outcome}`, prose: body.reason }];
    case 'grant_given':
      return [{ tone: 'quiet', who: 'remembered', note: body.grant.covers }];
    case 'grant_revoked':
      return [
        { tone: 'quiet', who: 'remembered approval revoked', note: `by ${body.by === 'operator' ? 'you' : 'Sayso'}` },
      ];
    case 'notice':
      return [{ tone: body.level === 'error' ? 'fail' : 'quiet', who: body.level, note: '', prose: body.text }];
    case 'compacted':
      return [{ tone: 'quiet', who: 'summary', note: 'older turns, for the model only', prose: body.summary }];
    case 'run_ended':
      return [{ tone: body.state === 'completed' ? 'done' : 'quiet', who: `run ${body.state}`, note: body.reason }];
    default:
      return [];
  }
}

function requestEntry(request: Request): Entry {
  if (request.kind === 'question') {
    const { answer } = request;
    const options = answer.form === 'select' ? answer.options.map((option, index) => `${index + 1}. ${option}`) : [];
    return { tone: 'wait', who: request.tool, note: 'asks you', prose: request.question, facts: options };
  }
  const diff = request.preview.kind === 'file' ? { output: request.preview.diff } : {};
  return {
    tone: 'wait',
    who: request.tool,
    note: 'asks for your approval',
    command: request.command,
    ...diff,
    facts: [`why: ${whyGated(request.gatedBy)}`, `in: ${request.cwd}`, ...request.labels.map(({ text }) => text)],
  };
}

function whyGated(gatedBy: GatedBy): string {
  if (gatedBy.because === 'tag') return `tag ${gatedBy.tag}`;
  if (gatedBy.because === 'wider') {
    const more = allAllowanceWords(gatedBy.allows);
    return `it ran and ended with exit code ${gatedBy.exitCode}; approved, it runs again and may also ${more}`;
  }
  return 'mode' in gatedBy ? `mode ${gatedBy.mode}` : gatedBy.because;
}

const BY: Readonly<Record<Settlement['by'], string>> = {
  operator: 'by you',
  clock: 'nobody answered in time',
  run: 'the run was stopped',
  app: 'by Sayso',
  grant: 'by a remembered approval',
};

function decided({ outcome, by, reason, answer }: Settlement): { readonly note: string; readonly prose?: string } {
  const value = answer?.type === 'input' ? answer.value : null;
  const words = [value, reason].filter((text) => typeof text === 'string' && text !== '').join('\n');
  return { note: `${outcome} · ${BY[by]}`, ...(words === '' ? {} : { prose: words }) };
}
