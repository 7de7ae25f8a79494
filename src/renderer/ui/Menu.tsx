import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

export interface MenuItem {
  readonly name: string;
  readonly run: () => void;
  /** Takes something away for good. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

interface Props {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly children: ReactNode;
}

/** A button that opens a few commands below it; arrows go through them, Escape and a click elsewhere close it. */
export function Menu({ label, items, children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();

  useEffect(() => {
    if (!open) return;
    itemsOf(root.current)[0]?.focus();
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    window.addEventListener('pointerdown', outside);
    return () => window.removeEventListener('pointerdown', outside);
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    const all = itemsOf(root.current);
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const go = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (go !== undefined) all[go % all.length]?.focus();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(false);
    if (go === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the menu within
    <div ref={root} className="menu-root" onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        className="btn quiet icon"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? menuId : undefined}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div id={menuId} role="menu" aria-label={label} className="menu">
          {items.map((item) => (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={item.danger === true ? 'danger' : undefined}
              disabled={item.disabled === true}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function itemsOf(root: HTMLElement | null): HTMLButtonElement[] {
  return [...(root?.querySelectorAll<HTMLButtonElement>('[role="menuitem"]:not(:disabled)') ?? [])];
}
