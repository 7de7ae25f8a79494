import { allAllowanceWords } from '@shared/allowances';
import type { ApprovalRequest, Request } from '@shared/requests';
import { visibleText } from '../sessions/transfer/visible';

/** In characters: a notification calls, and is no place to read. */
const TITLE_LENGTH = 100;
const BODY_LENGTH = 240;

/**
 * What a notification says of a request, with nothing in it that is unseen or reorders it. Linux desktops read the body as markup, in which a model could set bold words,
 * pictures, and links that a click would open in a browser; there it is spelled so that it is only text.
 */
export function notificationText(
  request: Request,
  platform: NodeJS.Platform,
): { readonly title: string; readonly body: string } {
  const said = request.kind === 'question' ? request.question : approvalText(request);
  const body = cut(visibleText(said), BODY_LENGTH);
  return {
    title: cut(visibleText(`${request.sessionTitle}: ${request.tool}`).replace(/\s+/gu, ' '), TITLE_LENGTH),
    body: platform === 'linux' ? body.replace(/[&<>]/g, (character) => ENTITIES[character] ?? '') : body,
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function cut(text: string, length: number): string {
  const characters = [...text.slice(0, 4 * length)];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

function approvalText({ command, gatedBy }: ApprovalRequest): string {
  const again = gatedBy.because === 'wider' ? `Wants to ${allAllowanceWords(gatedBy.allows)}, and to run again: ` : '';
  return `${again}${commandText(command)}`;
}

/** Arguments with something in them that would part or join them are quoted. */
function commandText(rows: readonly { readonly segments: readonly { readonly text: string }[] }[]): string {
  return rows
    .map((row) => row.segments.map((segment) => segment.text).join(''))
    .map((text) => (/^[^\s"']+$/.test(text) ? text : JSON.stringify(text)))
    .join(' ');
}
