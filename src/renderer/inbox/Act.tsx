import { Check, Clock, Minus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Ending } from './arrange';

interface Props {
  /** How the request ended, in words; null while it waits. */
  readonly over: { readonly ending: Ending; readonly words: string } | null;
  readonly children: ReactNode;
}

/** The controls of a card. When it has ended, how it ended stands in their place, in the same room. */
export function Act({ over, children }: Props) {
  return (
    <div className={`act-wrap${over === null ? '' : ' over'}`}>
      <div className="act">{children}</div>
      {over !== null && (
        <p className="ending" role="status">
          <Sign ending={over.ending} /> <span>{sentence(over.words)}</span>
        </p>
      )}
    </div>
  );
}

function Sign({ ending }: { readonly ending: Ending }) {
  if (ending.is === 'gone') return <Minus size={15} className="sign stop" aria-hidden />;
  const { outcome } = ending.settlement;
  if (outcome === 'approved') return <Check size={15} className="sign ok" aria-hidden />;
  if (outcome === 'expired') return <Clock size={15} className="sign stop" aria-hidden />;
  return <X size={15} className={`sign ${outcome === 'declined' ? 'bad' : 'stop'}`} aria-hidden />;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
