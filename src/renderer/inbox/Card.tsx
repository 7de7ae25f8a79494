import { showSession } from '../app/store';
import { oneLine } from '../ui/text';
import { ApprovalBody } from './ApprovalBody';
import type { Slot } from './arrange';
import { endingWords } from './endings';
import { QuestionBody } from './QuestionBody';
import { useInbox } from './store';
import { TimeBar, TimeLeft } from './TimeLeft';

/** A request in full. When it has ended it stays as large, without its controls, and says how. */
export function Card({ slot }: { readonly slot: Slot }) {
  const { request, ended } = slot;
  const problem = useInbox((state) => state.problems.get(request.id));
  const over = ended === null ? null : { ending: ended, words: endingWords(request, ended) };
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
      {request.kind === 'approval' ? (
        <ApprovalBody request={request} over={over} />
      ) : (
        <QuestionBody request={request} over={over} />
      )}
      {/* Below the buttons: above them it would push them away from under the pointer. */}
      {problem !== undefined && ended === null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
