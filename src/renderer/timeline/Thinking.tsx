import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { plural } from '../ui/format';
import { visible } from '../ui/text';
import type { ThinkingEntry } from './entries';

/** Collapsed: it is long, and what matters of it shows in what the agent then says and does. */
export function Thinking({ entry }: { readonly entry: ThinkingEntry }) {
  const [open, setOpen] = useState(false);
  if (entry.text === '') return <div className="line-entry">thought, in a form that the provider keeps to itself</div>;
  const words = entry.text.trim().split(/\s+/).length;
  return (
    <div className="thinking">
      <button type="button" className="btn quiet tiny" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight size={12} className={open ? 'turned' : ''} aria-hidden />
        {entry.live ? 'Thinking' : 'Thought'} · {plural(words, 'word')}
      </button>
      {open && <div className="typed iso">{visible(entry.text)}</div>}
    </div>
  );
}
