import type { ComponentProps } from 'react';
import { clicked, ignoreRepeats } from './guard';

type Props = Omit<ComponentProps<'button'>, 'type' | 'onClick' | 'onKeyDown'> & {
  readonly requestId: string;
  readonly decide: () => void;
};

/** The only kind of button that answers a request: a key held down presses it once. */
export function DecideButton({ requestId, decide, ...rest }: Props) {
  return <button type="button" {...rest} onClick={clicked(requestId, decide)} onKeyDown={ignoreRepeats} />;
}
