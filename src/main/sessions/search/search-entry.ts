import { allAllowanceWords } from '@shared/allowances';
import type { EventBody } from '@shared/events';
import type { Request, Settlement } from '@shared/requests';
import { EVERYTHING, type FacetKind, facet, timeFacets } from './facets';

/** What the index keeps of one event. */
export interface SearchEntry {
  readonly text: string;
  readonly facets: string;
}

export interface SearchContext {
  readonly agent: string;
  readonly at: number;
  /** The request of an id, as it was put on record. */
  readonly request: (id: string) => Request | null;
}

interface Found {
  readonly text: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly labels?: readonly string[];
}

/**
 * What a search finds of an event: what was said, asked, run and decided, without what merely streamed and without the
 * output of commands. Null where there is nothing to find. Pure.
 */
export function searchEntry(body: EventBody, { agent, at, request }: SearchContext): SearchEntry | null {
  const found = find(body, request);
  if (found === null || found.text.trim() === '') return null;
  const { tool, outcome, labels = [] } = found;
  const facets = [
    EVERYTHING,
    facet('agent', agent),
    ...timeFacets(at),
    ...one('tool', tool),
    ...one('outcome', outcome),
    ...labels.map((label) => facet('label', label)),
  ];
  return { text: found.text.trim(), facets: facets.join(' ') };
}

function one(kind: FacetKind, value: string | undefined): string[] {
  return value === undefined ? [] : [facet(kind, value)];
}

function find(body: EventBody, requestOf: SearchContext['request']): Found | null {
  switch (body.type) {
    case 'user_message':
      return { text: body.text };
    case 'assistant_message':
      return { text: body.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n') };
    case 'request_opened':
      return { text: asked(body.request), tool: body.request.tool, labels: labelsOf(body.request) };
    case 'request_settled': {
      const request = requestOf(body.requestId);
      const { outcome } = body.settlement;
      const what = request === null ? '' : `${request.tool} ${asked(request)}`;
      return {
        text: `${what}\n${outcome} ${said(body.settlement)}`,
        outcome,
        ...(request === null ? {} : { tool: request.tool, labels: labelsOf(request) }),
      };
    }
    case 'call_started':
      return {
        text: `${body.tool} ${plain(body.command)} ${allAllowanceWords(body.allows ?? [])}`,
        tool: body.tool,
        labels: body.labels ?? [],
      };
    case 'tool_denied':
      return {
        text: `${body.tool} ${plain(body.command ?? [])}\n${body.outcome} ${body.reason}`,
        tool: body.tool,
        outcome: body.outcome,
        labels: body.labels ?? [],
      };
    case 'call_result':
      // The output of what ran is not searched; of a call that nothing was run for, this is all there is.
      if (body.command === undefined) return null;
      return {
        text: `${body.tool} ${plain(body.command)}\n${body.content}`,
        tool: body.tool,
        ...(body.outcome === undefined ? {} : { outcome: body.outcome }),
      };
    default:
      return null;
  }
}

function asked(request: Request): string {
  if (request.kind === 'question') return request.question;
  const { gatedBy } = request;
  return `${plain(request.command)} ${gatedBy.because === 'wider' ? allAllowanceWords(gatedBy.allows) : ''}`.trim();
}

function labelsOf(request: Request): string[] {
  return request.kind === 'question' ? [] : request.labels.map(({ id }) => id);
}

/** The words that came with an answer. */
function said({ reason, answer }: Settlement): string {
  const value = answer?.type === 'input' ? (answer.value ?? '') : '';
  return `${reason ?? ''} ${value}`.trim();
}

function plain(rows: readonly { readonly segments: readonly { readonly text: string }[] }[]): string {
  return rows.map((row) => row.segments.map((segment) => segment.text).join('')).join(' ');
}
