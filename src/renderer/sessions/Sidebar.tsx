import { Bot, ChartColumn, Keyboard, type LucideIcon, Plus, Settings } from 'lucide-react';
import { useState } from 'react';
import { openDialog, showView, useApp, type View } from '../app/store';
import { Hits } from './Hits';
import { lookFor } from './look-for';
import { SessionList } from './SessionList';
import { useSessions } from './store';

export function Sidebar() {
  const empty = useSessions((state) => state.ready && state.byId.size === 0);
  return (
    <div className="sidebar">
      <div className="side-top">
        <button type="button" className={`btn ${empty ? '' : 'primary'}`} onClick={() => openDialog('new-run')}>
          <Plus size={14} aria-hidden /> New run
        </button>
      </div>
      <nav aria-label="Sessions" data-pane="sessions">
        <Search />
        <Hits />
        <SessionList />
      </nav>
      <div className="side-foot">
        <Tab view="agents" name="Agents" icon={Bot} />
        <Tab view="statistics" name="Statistics" icon={ChartColumn} />
        <Tab view="settings" name="Settings" icon={Settings} />
        <button type="button" className="btn quiet tab" onClick={() => openDialog('keys')}>
          <Keyboard size={15} aria-hidden /> Keys
        </button>
      </div>
    </div>
  );
}

interface TabProps {
  readonly view: Exclude<View, 'sessions'>;
  readonly name: string;
  readonly icon: LucideIcon;
}

/** Goes to a page, and from it back to the sessions. */
function Tab({ view, name, icon: Icon }: TabProps) {
  const on = useApp((state) => state.view === view);
  return (
    <button
      type="button"
      className={`btn quiet tab${on ? ' on' : ''}`}
      aria-pressed={on}
      onClick={() => showView(on ? 'sessions' : view)}
    >
      <Icon size={15} aria-hidden /> {name}
    </button>
  );
}

function Search() {
  const typed = useSessions((state) => state.typed);
  const [helps, setHelps] = useState(false);
  return (
    <div className="side-search">
      <input
        type="search"
        className="field"
        aria-label="Search sessions"
        placeholder="Search sessions and commands"
        maxLength={500}
        value={typed}
        onChange={(event) => lookFor(event.target.value)}
        onFocus={() => setHelps(true)}
        onBlur={() => setHelps(false)}
      />
      {helps && typed === '' && (
        <p className="hint search-help">
          Words, “a phrase”, begin* – and <code>agent:</code> <code>state:</code> <code>tool:</code>{' '}
          <code>outcome:</code> <code>label:</code> <code>since:</code> <code>until:</code> <code>on:</code>, as in{' '}
          <code>outcome:declined curl since:2026-03</code>
        </p>
      )}
    </div>
  );
}
