import { CircleCheck } from 'lucide-react';
import { showSession } from '../app/store';
import { oneLine } from '../ui/text';
import { ApprovalBody } from './ApprovalBody';
import type { Slot } from './arrange';
import { endingWords } from './endings';
import { QuestionBody } from './QuestionBody';
import { useInbox } from './store';
import { TimeBar, TimeLeft } from './TimeLeft';

/** A request in full. When it has ended it stays as large, without its buttons, and says how. */
export function Card({ slot }: { readonly slot: Slot }) {
  const { request, ended } = slot;
  const problem = useInbox((state) => state.problems.get(request.id));
  return (
    <>
      <header>
        <b>{request.kind === 'approval' ? oneLine(request.tool) : 'Question for you'}</b>
        {ended === null && <TimeLeft request={request} />}
      </header>
      <button
        type="button"
        className="from iso"
        title="Go to this session"
        onClick={() => showSession(request.sessionId)}
      >
        {oneLine(request.sessionTitle)} · {oneLine(request.agent)} · turn {request.turn}
      </button>
      {ended === null ? <TimeBar request={request} /> : <div className="bar-time" />}
      {ended !== null && (
        <p className="ending" role="status">
          <CircleCheck size={14} aria-hidden /> <span>{sentence(endingWords(request, ended))}</span>
        </p>
      )}
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {request.kind === 'approval' ? (
        <ApprovalBody request={request} over={ended !== null} />
      ) : (
        <QuestionBody request={request} over={ended !== null} />
      )}
    </>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
