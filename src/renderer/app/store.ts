import type { AgentInfo } from '@shared/agent-file';
import type { AppInfo, BridgeError } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import type { KeyState, Settings } from '@shared/settings';
import { create } from 'zustand';

export type View = 'sessions' | 'agents' | 'statistics' | 'settings';
export type DialogName = 'new-run' | 'palette' | 'keys';

/** How many sessions stand side by side at most; with more, none of them can be followed. */
const MAX_COLUMNS = 3;
/** Narrower than this, in pixels, a column cannot be read. */
const COLUMN_WIDTH = 300;
/** What the sidebar and the inbox take up, about. */
const SIDES_WIDTH = 600;

export function columnsThatFit(): number {
  return Math.min(MAX_COLUMNS, Math.max(1, Math.floor((window.innerWidth - SIDES_WIDTH) / COLUMN_WIDTH)));
}

export interface Toast {
  readonly id: number;
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly remedy: string;
}

interface AppState {
  readonly info: AppInfo | null;
  readonly settings: Settings | null;
  readonly key: KeyState | null;
  readonly agents: readonly AgentInfo[];
  readonly view: View;
  /** The sessions that stand side by side, left to right. */
  readonly columns: readonly SessionId[];
  readonly focused: SessionId | null;
  readonly dialog: DialogName | null;
  readonly toasts: readonly Toast[];
  readonly dismissedNotices: readonly string[];
}

export const useApp = create<AppState>(() => ({
  info: null,
  settings: null,
  key: null,
  agents: [],
  view: 'sessions',
  columns: [],
  focused: null,
  dialog: null,
  toasts: [],
  dismissedNotices: [],
}));

export function openDialog(dialog: DialogName): void {
  useApp.setState({ dialog });
}

export function closeDialog(): void {
  useApp.setState({ dialog: null });
}

export function showView(view: View): void {
  useApp.setState({ view });
}

/** Goes to a session: to its column where it has one, otherwise in place of the focused one. */
export function showSession(id: SessionId): void {
  useApp.setState(({ columns, focused }) => ({
    view: 'sessions',
    focused: id,
    columns: columns.includes(id)
      ? columns
      : columns.length === 0
        ? [id]
        : columns.map((column) => (column === focused ? id : column)),
  }));
}

/** Opens a session beside the focused one; the one farthest away gives way where there is no room. */
export function showBeside(id: SessionId): void {
  useApp.setState(({ columns, focused }) => {
    if (columns.includes(id)) return { view: 'sessions', focused: id };
    const room = columnsThatFit();
    const at = focused === null ? columns.length : columns.indexOf(focused) + 1;
    const next = [...columns.slice(0, at), id, ...columns.slice(at)];
    while (next.length > room) next.splice(next.indexOf(id) === next.length - 1 ? 0 : next.length - 1, 1);
    return { view: 'sessions', columns: next, focused: id };
  });
}

export function focusColumn(id: SessionId): void {
  if (useApp.getState().focused !== id) useApp.setState({ focused: id });
}

export function closeColumn(id: SessionId): void {
  useApp.setState(({ columns, focused }) => {
    const next = columns.filter((column) => column !== id);
    return { columns: next, focused: focused === id ? (next[0] ?? null) : focused };
  });
}

let nextToast = 1;
const SHOWN_MS = 8_000;
const SHOWN_TOASTS = 4;

export function notify(level: Toast['level'], message: string, remedy = ''): void {
  const id = nextToast++;
  // The same thing said twice is one thing to read: a broken store fails every call of the start in the same words.
  const others = useApp.getState().toasts.filter((toast) => toast.message !== message);
  useApp.setState({ toasts: [...others.slice(1 - SHOWN_TOASTS), { id, level, message, remedy }] });
  // An error stays until it is closed: it says what to do, and somebody has to have read it.
  if (level === 'info') setTimeout(() => dismissToast(id), SHOWN_MS);
}

export function notifyError(error: BridgeError): void {
  notify('error', error.message, error.remedy ?? '');
}

export function dismissToast(id: number): void {
  useApp.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}
