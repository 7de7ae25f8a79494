import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { plural } from '../ui/format';
import { visible } from '../ui/text';
import type { CompactedEntry } from './entries';

/** The place from which the model goes by a summary; what is above stays readable, and in the journal. */
export function Compacted({ entry }: { readonly entry: CompactedEntry }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="compacted">
      <div className="rule">
        <span>
          From here on the model has a summary of {plural(entry.replaced, 'older message')}
          {entry.kept > 0 && ` and the last ${entry.kept} word for word`}
        </span>
      </div>
      <div className="thinking">
        <button type="button" className="btn quiet tiny" aria-expanded={open} onClick={() => setOpen(!open)}>
          <ChevronRight size={12} className={open ? 'turned' : ''} aria-hidden />
          Summary · the journal keeps everything
        </button>
        {open && <div className="typed iso">{visible(entry.summary)}</div>}
      </div>
    </div>
  );
}
