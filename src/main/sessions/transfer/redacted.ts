import type { DisplayToken } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import type { Redactor } from '../../tools/redaction/redactor';
import type { Block } from './blocks';
import type { CallBlock } from './call-block';

/**
 * What leaves Sayso as a page is read by others. The journal keeps arguments, diffs and words as they were; in a page
 * each secret among them has a placeholder, as in what tools give back.
 */
export class Redacted {
  constructor(private readonly redactor: Redactor) {}

  session(session: SessionSummary): SessionSummary {
    const { title, agent, model, workspace, detail } = session;
    return {
      ...session,
      title: this.#text(title),
      agent: this.#text(agent),
      model: this.#text(model),
      workspace: this.#text(workspace),
      detail: this.#text(detail),
    };
  }

  block(block: Block): Block {
    if (block.kind === 'call') return this.#call(block);
    return { ...block, words: this.#text(block.words), prose: this.#text(block.prose) };
  }

  #call(call: CallBlock): CallBlock {
    return {
      ...call,
      // A model may call a tool that is not there by any name.
      tool: this.#text(call.tool),
      marks: call.marks.map((mark) => ({ ...mark, words: this.#text(mark.words) })),
      command: call.command.map((token) => this.#token(token)),
      inputText: this.#text(call.inputText),
      question: call.question === null ? null : this.#text(call.question),
      facts: call.facts.map((fact) => this.#text(fact)),
      diff: call.diff === null ? null : this.#text(call.diff),
      outputs: call.outputs.map(({ note, text }) => ({ note: this.#text(note), text: this.#text(text) })),
    };
  }

  /** A secret may reach over several segments, which then are one. */
  #token(token: DisplayToken): DisplayToken {
    const whole = token.segments.map(({ text }) => text).join('');
    const text = this.#text(whole);
    return text === whole ? token : { ...token, segments: [{ text, escape: false }] };
  }

  #text(text: string): string {
    return this.redactor.redact(text).text;
  }
}
