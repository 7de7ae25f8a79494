import type { Answer, QuestionRequest } from '@shared/requests';
import { type ComponentProps, type KeyboardEvent, useId, useState } from 'react';
import { visible } from '../ui/text';
import { Act } from './Act';
import { DecideButton } from './DecideButton';
import { useArmed } from './guard';
import { answer, useInbox } from './store';

interface Props {
  readonly request: QuestionRequest;
  readonly over: Over;
}

type Over = ComponentProps<typeof Act>['over'];

interface FormProps {
  readonly request: QuestionRequest;
  readonly disabled: boolean;
  readonly over: Over;
}

export function QuestionBody({ request, over }: Props) {
  const armed = useArmed();
  const sending = useInbox((state) => state.sending.has(request.id));
  const props = { request, over, disabled: !armed || sending || over !== null };
  return (
    <>
      <p className="asks iso">{visible(request.question)}</p>
      {request.answer.form === 'confirm' && <Confirm {...props} />}
      {request.answer.form === 'select' && <Select {...props} options={request.answer.options} />}
      {request.answer.form === 'input' && <Input {...props} start={request.answer.default} />}
    </>
  );
}

function withReason<T extends object>(given: T, reason: string): T & { reason?: string } {
  return reason.trim() === '' ? given : { ...given, reason: reason.trim() };
}

function Confirm({ request, disabled, over }: FormProps) {
  const [reason, setReason] = useState('');
  const say = (confirmed: boolean) =>
    void answer(request, withReason({ type: 'confirm', confirmed }, reason) as Answer);
  return (
    <Act over={over}>
      <div className="two">
        <DecideButton requestId={request.id} className="btn" disabled={disabled} decide={() => say(false)}>
          No
        </DecideButton>
        <DecideButton requestId={request.id} className="btn" disabled={disabled} decide={() => say(true)}>
          Yes
        </DecideButton>
      </div>
      <Reason reason={reason} setReason={setReason} disabled={over !== null} />
    </Act>
  );
}

function Select({ request, disabled, over, options }: FormProps & { readonly options: readonly string[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const name = useId();
  const say = (selected: number | null) => {
    void answer(request, withReason({ type: 'select', selected }, reason) as Answer);
  };
  return (
    <Act over={over}>
      <div role="radiogroup" aria-label="Options" className="options">
        {options.map((option, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the options of a question never change places
          <label key={index} className="option">
            <input
              type="radio"
              name={name}
              disabled={over !== null}
              checked={chosen === index}
              onChange={() => setChosen(index)}
            />
            <span className="iso">{visible(option)}</span>
          </label>
        ))}
      </div>
      <div className="two">
        <DecideButton requestId={request.id} className="btn" disabled={disabled} decide={() => say(null)}>
          None of these
        </DecideButton>
        <DecideButton
          requestId={request.id}
          className="btn primary"
          disabled={disabled || chosen === null}
          decide={() => say(chosen)}
        >
          Answer
        </DecideButton>
      </div>
      <Reason reason={reason} setReason={setReason} disabled={over !== null} />
    </Act>
  );
}

function Input({ request, disabled, over, start }: FormProps & { readonly start: string }) {
  const [value, setValue] = useState(start);
  const say = (given: string | null) => void answer(request, { type: 'input', value: given });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat && !disabled) say(value);
  };
  return (
    <Act over={over}>
      <textarea
        className="field"
        aria-label="Answer"
        rows={3}
        maxLength={20_000}
        value={value}
        disabled={over !== null}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="two">
        <DecideButton requestId={request.id} className="btn" disabled={disabled} decide={() => say(null)}>
          No answer
        </DecideButton>
        <DecideButton requestId={request.id} className="btn primary" disabled={disabled} decide={() => say(value)}>
          Answer
        </DecideButton>
      </div>
    </Act>
  );
}

interface ReasonProps {
  readonly reason: string;
  readonly setReason: (reason: string) => void;
  readonly disabled: boolean;
}

function Reason({ reason, setReason, disabled }: ReasonProps) {
  return (
    <input
      className="field"
      aria-label="Reason"
      placeholder="Reason, told to the agent (optional)"
      maxLength={2_000}
      value={reason}
      disabled={disabled}
      onChange={(event) => setReason(event.target.value)}
    />
  );
}
