import type { EventBody } from '@shared/events';

export type Tone = 'plain' | 'ok' | 'bad' | 'wait' | 'stop';

/** What became of something in a few words, coloured. */
export interface Mark {
  readonly tone: Tone;
  readonly words: string;
}

/** One entry of an exported timeline that is no call, before it is Markdown or HTML. */
export interface Entry {
  readonly is: 'you' | 'agent' | 'thinking' | 'line' | 'run-started' | 'run-ended';
  readonly tone: Tone;
  /** A few words: what kind of line it is, how a run ended. */
  readonly words: string;
  /** Prose, as it was written. */
  readonly prose: string;
}

/** What an event shows in an exported timeline beside calls: nothing where it only streamed what a later one holds. Pure. */
export function entriesOf(body: EventBody): Entry[] {
  switch (body.type) {
    case 'run_started': {
      const { resumed, agent, model, mode, sandbox, workspace } = body;
      const words = `${resumed ? 'Continued' : 'New run'} · ${agent} · ${model} · mode ${mode} · sandbox: ${sandbox.label} · ${workspace}`;
      return [{ is: 'run-started', tone: 'plain', words, prose: '' }];
    }
    case 'user_message':
      return [{ is: 'you', tone: 'plain', words: '', prose: body.text }];
    case 'assistant_message':
      return body.blocks.flatMap((block): Entry[] => {
        if (block.type === 'text') return [{ is: 'agent', tone: 'plain', words: '', prose: block.text }];
        if (block.type === 'thinking') return [{ is: 'thinking', tone: 'plain', words: 'Thought', prose: block.text }];
        return [];
      });
    case 'grant_given':
      return [line(`remembered from now on: ${body.grant.covers}`)];
    case 'grant_revoked':
      return [line(`a remembered approval was ${body.by === 'operator' ? 'revoked by you' : 'dropped by Sayso'}`)];
    case 'notice': {
      const tone = body.level === 'error' ? 'bad' : body.level === 'warning' ? 'wait' : 'plain';
      return [{ ...line(body.text), tone }];
    }
    case 'compacted': {
      const words = 'From here on the model has a summary of what is older';
      return [{ is: 'thinking', tone: 'plain', words, prose: body.summary }];
    }
    case 'run_ended': {
      const tone = body.state === 'completed' ? 'ok' : body.state === 'failed' ? 'bad' : 'stop';
      return [{ is: 'run-ended', tone, words: body.state, prose: body.reason }];
    }
    default:
      return [];
  }
}

function line(words: string): Entry {
  return { is: 'line', tone: 'plain', words, prose: '' };
}
