import type { BridgeError } from '@shared/bridge';
import type { SessionSummary } from '@shared/sessions';
import { isTerminal } from '@shared/states';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { notify } from '../app/store';
import { ask } from '../ui/bridge';
import { AgentChanged } from './AgentChanged';

const MIN_HEIGHT = 34;
const MAX_HEIGHT = 180;

// What was typed and not sent stays with its session for as long as the window lives.
const drafts = new Map<string, string>();

export function Reply({ session }: { readonly session: SessionSummary }) {
  const [text, setText] = useState(() => drafts.get(session.id) ?? '');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [changed, setChanged] = useState<BridgeError | null>(null);
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

  const send = async (anyway: boolean) => {
    if (text.trim() === '' || busy) {
      field.current?.focus();
      return;
    }
    setBusy(true);
    setChanged(null);
    const result = await ask('sendMessage', { sessionId: session.id, text, anyway });
    setBusy(false);
    if (result.ok) {
      type('');
      if (active) notify('info', 'Sent. The agent reads it at its next turn.');
    } else if (result.error.code === 'changed') setChanged(result.error);
    else setProblem([result.error.message, result.error.remedy].filter(Boolean).join(' '));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) void send(false);
  };

  return (
    <form
      className="reply"
      onSubmit={(event) => {
        event.preventDefault();
        void send(false);
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
      <button type="submit" className="btn" disabled={busy}>
        Send
      </button>
      {changed !== null && (
        <AgentChanged
          error={changed}
          action="Send anyway"
          onGoOn={() => void send(true)}
          onClose={() => setChanged(null)}
        />
      )}
    </form>
  );
}
