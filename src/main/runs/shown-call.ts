import type { DisplayToken } from '@shared/requests';
import { displayToken } from '../approvals/display/display-token';
import { labelsOfCall } from '../approvals/request';
import type { Call } from './call-environment';
import type { Considered } from './decide-call';

/** What a call would have run, for the record: where nobody was asked, no request tells it. */
export interface Shown {
  readonly command: DisplayToken[];
  /** Ids of its risk labels; left out where it has none. */
  readonly labels?: string[];
}

/** As much of the arguments of a call that was never prepared as is worth finding again; the reply has all of them. */
const SPELLED_LENGTH = 2_000;

/** A prepared call, as it would have been put to the operator. */
export function shownCall({ prepared, call }: Considered, workspace: string): Shown {
  const labels = labelIds(labelsOfCall(prepared, workspace));
  return { command: [...call.command], ...(labels.length === 0 ? {} : { labels }) };
}

/** A call that was never prepared: its arguments as the model spelled them. */
export function spelledCall({ block }: Pick<Call, 'block'>): Shown {
  const { inputText } = block;
  const spelled = inputText.length > SPELLED_LENGTH ? `${inputText.slice(0, SPELLED_LENGTH - 1)}…` : inputText;
  return { command: [displayToken(spelled)] };
}

export function labelIds(labels: readonly { readonly id: string }[]): string[] {
  return labels.map(({ id }) => id);
}
