import type { SessionSummary } from '@shared/sessions';
import { isTerminal } from '@shared/states';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { notify } from '../app/store';
import { ask } from '../ui/bridge';
import { useGoOn } from './go-on';

const MIN_HEIGHT = 34;
const MAX_HEIGHT = 180;

// What was typed and not sent stays with its session for as long as the window lives.
const drafts = new Map<string, string>();

export function Reply({ session }: { readonly session: SessionSummary }) {
  const [text, setText] = useState(() => drafts.get(session.id) ?? '');
  const [problem, setProblem] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const active = !isTerminal(session.state);

  // It grows with what is typed, up to a third of a small window; then it scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured after every change of the text
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, element.scrollHeight + 2))}px`;
    element.style.overflow = element.scrollHeight > MAX_HEIGHT ? 'auto' : 'hidden';
  }, [text]);

  const type = (value: string) => {
    drafts.set(session.id, value);
    setText(value);
    setProblem('');
  };

  const goOn = useGoOn({
    session,
    action: 'Send anyway',
    attempt: (how) => ask('sendMessage', { sessionId: session.id, text, ...how }),
    onDone: () => {
      type('');
      if (active) notify('info', 'Sent. The agent reads it at its next turn.');
    },
    onProblem: ({ message, remedy }) => setProblem([message, remedy].filter(Boolean).join(' ')),
  });
  const send = () => {
    if (text.trim() === '' || goOn.busy) field.current?.focus();
    else goOn.start();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) send();
  };

  return (
    <>
      <form
        className="reply"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {problem !== '' && (
          <p className="problem" role="alert">
            {problem} What you wrote is still here.
          </p>
        )}
        <textarea
          ref={field}
          className="field"
          aria-label="Message"
          data-land
          rows={1}
          maxLength={200_000}
          placeholder={
            active
              ? 'Reply, or add an instruction; it is read at the next turn'
              : 'Write a message to go on with this session'
          }
          value={text}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" className="btn" disabled={goOn.busy}>
          Send
        </button>
      </form>
      {goOn.dialog}
    </>
  );
}
