import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';

const SHOWN_MS = 1_500;

/** Copies `text` exactly as it is, not as it is shown. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [done, setDone] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (done === null) return;
    const timer = setTimeout(() => setDone(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);

  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setDone('copied'),
      () => setDone(copyBySelection(text) ? 'copied' : 'failed'),
    );
  };

  return (
    <button type="button" className="btn quiet tiny" onClick={copy} aria-label={label} title={label}>
      {done === 'copied' ? <Check size={12} aria-hidden /> : <CopyIcon size={12} aria-hidden />}
      {done !== null && <span role="status">{done === 'copied' ? 'Copied' : 'Could not copy'}</span>}
    </button>
  );
}

/** For windows whose permissions leave out the clipboard: the old way needs none. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
