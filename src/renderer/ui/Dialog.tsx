import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly width?: 'narrow' | 'wide';
  /** The palette says what it is by itself. */
  readonly bare?: boolean;
}

/** The platform's own modal dialog: focus stays in it, Escape closes it, and focus goes back where it came from. */
export function Dialog({ title, onClose, children, width = 'narrow', bare = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (dialog !== null && !dialog.open) dialog.showModal();
    // The platform would take the first thing that can have the focus, which is the button that closes.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on the backdrop; the keyboard's way out is Escape
    <dialog
      ref={ref}
      className={`dialog ${width}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current && bare) onClose();
      }}
    >
      <div className="dialog-body">
        <header className={bare ? 'sr-only' : 'dialog-head'}>
          <h2 id={titleId}>{title}</h2>
          {!bare && (
            <button type="button" className="btn quiet icon" aria-label="Close" onClick={onClose}>
              <X size={15} aria-hidden />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
