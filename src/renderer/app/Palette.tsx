import { isTerminal } from '@shared/states';
import { Command } from 'cmdk';
import { useState } from 'react';
import { focusFirst } from '../inbox/navigate';
import { useInbox } from '../inbox/store';
import { backUpStore, importSession } from '../sessions/manage';
import { useSessions } from '../sessions/store';
import { Dialog } from '../ui/Dialog';
import { lookOf, StateMark } from '../ui/state';
import { oneLine } from '../ui/text';
import { saveTheme, startDemo, stopFocused } from './actions';
import { closeDialog, openDialog, showSession, showView, useApp } from './store';

interface Action {
  readonly name: string;
  readonly run: () => void;
}

/** More than this is not read in a list; the words typed narrow it down. */
const SHOWN_SESSIONS = 200;

function useActions(): readonly Action[] {
  const focused = useApp((state) => state.focused);
  const session = useSessions((state) => (focused === null ? undefined : state.byId.get(focused)));
  const waiting = useInbox((state) => state.requests.length);
  const actions: Action[] = [
    { name: 'New run', run: () => openDialog('new-run') },
    { name: 'Start the demo run', run: () => void startDemo() },
    { name: 'Take in a session from a file', run: () => void importSession() },
    { name: 'Back up everything', run: () => void backUpStore() },
    { name: 'Agents', run: () => showView('agents') },
    { name: 'Statistics', run: () => showView('statistics') },
    { name: 'Settings', run: () => showView('settings') },
    { name: 'Theme: follow the system', run: () => void saveTheme('system') },
    { name: 'Theme: dark', run: () => void saveTheme('dark') },
    { name: 'Theme: light', run: () => void saveTheme('light') },
    { name: 'Keyboard shortcuts', run: () => openDialog('keys') },
  ];
  if (session !== undefined && !isTerminal(session.state)) {
    actions.unshift({ name: `Stop this run: ${oneLine(session.title)}`, run: () => void stopFocused() });
  }
  if (waiting > 0) actions.unshift({ name: 'Next request', run: () => setTimeout(focusFirst, 0) });
  return actions;
}

export function Palette() {
  const [text, setText] = useState('');
  const actions = useActions();
  const byId = useSessions((state) => state.byId);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  const found = actions.filter((action) => matches(action.name));
  const sessions = [...byId.values()]
    .filter((session) => matches(`${session.title} ${session.agent} ${lookOf(session.state).word}`))
    .sort((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, SHOWN_SESSIONS);

  const choose = (run: () => void) => {
    closeDialog();
    run();
  };

  return (
    <Dialog title="Commands" onClose={closeDialog} bare>
      <Command label="Commands" shouldFilter={false} loop className="palette">
        <Command.Input data-first value={text} onValueChange={setText} placeholder="Go to, search, do…" />
        <Command.List>
          {found.length + sessions.length === 0 && <p className="hint">Nothing has these words.</p>}
          {found.length > 0 && (
            <Command.Group heading="Do">
              {found.map((action) => (
                <Command.Item key={action.name} value={action.name} onSelect={() => choose(action.run)}>
                  <span className="iso">{action.name}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {sessions.length > 0 && (
            <Command.Group heading="Go to">
              {sessions.map((session) => (
                <Command.Item
                  key={session.id}
                  value={session.id}
                  onSelect={() => choose(() => showSession(session.id))}
                >
                  <StateMark state={session.state} />
                  <span className="iso grow">{oneLine(session.title)}</span>
                  <small>{lookOf(session.state).word}</small>
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}
