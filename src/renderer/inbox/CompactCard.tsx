import type { ApprovalRequest, Request } from '@shared/requests';
import { plural } from '../ui/format';
import { CommandLine } from '../ui/Tokens';
import { oneLine } from '../ui/text';
import type { Slot } from './arrange';
import { endingWords } from './endings';
import { focusClicked } from './navigate';
import { TimeLeft } from './TimeLeft';

export function CompactCard({ slot }: { readonly slot: Slot }) {
  const { request, ended } = slot;
  return (
    <button type="button" className="compact" disabled={ended !== null} onClick={() => focusClicked(request.id)}>
      <b className="mono">{request.kind === 'approval' ? oneLine(request.tool) : 'question'}</b>
      <span className="what">
        <What request={request} />
      </span>
      {ended === null ? <TimeLeft request={request} /> : <span className="how">{endingWords(request, ended)}</span>}
      <small className="iso">
        {oneLine(request.sessionTitle)} · {oneLine(request.agent)}
        {request.kind === 'question' && ` · ${formWords(request)}`}
      </small>
    </button>
  );
}

function What({ request }: { readonly request: Request }) {
  if (request.kind === 'question') return <span className="iso">{oneLine(request.question)}</span>;
  return (
    <>
      {request.gatedBy.because === 'wider' && <b className="again">again, with more: </b>}
      <CommandLine command={isCommand(request) ? request.command : request.command.slice(1)} />
      {request.preview.kind === 'file' && (
        <span> · {plural(request.preview.added + request.preview.removed, 'line')} change</span>
      )}
    </>
  );
}

function isCommand(request: ApprovalRequest): boolean {
  return request.preview.kind === 'command' || request.command.length === 1;
}

function formWords(request: Extract<Request, { kind: 'question' }>): string {
  switch (request.answer.form) {
    case 'confirm':
      return 'yes or no';
    case 'select':
      return `choose one of ${request.answer.options.length}`;
    case 'input':
      return 'write an answer';
  }
}
