import type { EventBody } from '@shared/events';

/** What the search finds of an event: what was said, asked, run and answered, without the output of commands. */
export function searchableText(body: EventBody): string {
  switch (body.type) {
    case 'user_message':
      return body.text;
    case 'assistant_message':
      return body.blocks
        .map((block) => (block.type === 'text' ? block.text : ''))
        .join('\n')
        .trim();
    case 'request_opened': {
      const { request } = body;
      return request.kind === 'question' ? request.question : tokens(request.command);
    }
    case 'call_started':
      return `${body.tool} ${tokens(body.command)}`;
    case 'tool_denied':
      return `${body.tool} ${body.outcome} ${body.reason}`;
    default:
      return '';
  }
}

function tokens(rows: readonly { readonly segments: readonly { readonly text: string }[] }[]): string {
  return rows.map((row) => row.segments.map((segment) => segment.text).join('')).join(' ');
}
