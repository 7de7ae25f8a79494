import type { EventBody, EventOf, JournalEvent } from '@shared/events';
import type { CallId } from '@shared/ids';
import { type CallBlock, type CallEvent, changed, closed, newCall } from './call-block';
import { type Entry, entriesOf } from './entry';

export interface EntryBlock extends Entry {
  readonly kind: 'entry';
  readonly at: number;
}

export type Block = CallBlock | EntryBlock;

/** A call to which something may still happen, in its place among the blocks. */
interface Place {
  readonly callId: CallId;
  call: CallBlock;
}

/**
 * Puts a journal together as the timeline shows it: each call once, with its request, its decision and its result. Gives
 * blocks as soon as nothing more can happen to them, so that the longest session needs no more memory than a turn.
 */
export class Blocks {
  #waiting: (EntryBlock | Place)[] = [];

  /** The blocks that are whole after one more event, in their order. */
  add({ body, at }: Pick<JournalEvent, 'body' | 'at'>): Block[] {
    switch (body.type) {
      case 'assistant_message':
        this.#say(body, at);
        break;
      case 'request_opened':
      case 'request_settled':
      case 'call_started':
      case 'call_refused':
      case 'call_result':
      case 'tool_denied': {
        const place = this.#place(body, at);
        place.call = changed(place.call, body);
        break;
      }
      case 'run_ended':
        this.#close();
        this.#push(body, at);
        break;
      default:
        this.#push(body, at);
    }
    return this.#whole();
  }

  /** Whatever is left. */
  end(): Block[] {
    this.#close();
    return this.#whole();
  }

  #whole(): Block[] {
    const open = this.#waiting.findIndex((block) => isPlace(block) && !block.call.over);
    const whole = this.#waiting.slice(0, open < 0 ? undefined : open);
    this.#waiting = this.#waiting.slice(whole.length);
    return whole.map((block) => (isPlace(block) ? block.call : block));
  }

  #say(body: EventOf<'assistant_message'>, at: number): void {
    for (const block of body.blocks) {
      if (block.type === 'tool_use') this.#open(block.id, newCall(block.name, block.inputText, at));
      else this.#push({ ...body, blocks: [block] }, at);
    }
  }

  #push(body: EventBody, at: number): void {
    for (const entry of entriesOf(body)) this.#waiting.push({ ...entry, kind: 'entry', at });
  }

  #open(callId: CallId, call: CallBlock): Place {
    const place = { callId, call };
    this.#waiting.push(place);
    return place;
  }

  /** Where the call of an event stands; one whose beginning is not there begins with it. */
  #place(body: CallEvent, at: number): Place {
    const { callId } = body.type === 'request_opened' ? body.request : body;
    const known = this.#places().findLast((place) => place.callId === callId && !place.call.over);
    return known ?? this.#open(callId, newCall('', '', at));
  }

  /** Nothing goes on after the end of a run: what was still open is shown as what it then is. */
  #close(): void {
    for (const place of this.#places()) place.call = closed(place.call);
  }

  #places(): Place[] {
    return this.#waiting.filter(isPlace);
  }
}

function isPlace(block: EntryBlock | Place): block is Place {
  return 'call' in block;
}
