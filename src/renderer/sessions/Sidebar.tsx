import { Bot, ChartColumn, Keyboard, Plus, Settings } from 'lucide-react';
import { openDialog, showView, useApp } from '../app/store';
import { Hits } from './Hits';
import { lookFor } from './look-for';
import { SessionList } from './SessionList';
import { useSessions } from './store';

export function Sidebar() {
  const view = useApp((state) => state.view);
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
        <button
          type="button"
          className={`btn quiet ${view === 'agents' ? 'on' : ''}`}
          aria-pressed={view === 'agents'}
          onClick={() => showView(view === 'agents' ? 'sessions' : 'agents')}
        >
          <Bot size={14} aria-hidden /> Agents
        </button>
        <button
          type="button"
          className={`btn quiet icon ${view === 'statistics' ? 'on' : ''}`}
          aria-label="Statistics"
          title="Statistics"
          aria-pressed={view === 'statistics'}
          onClick={() => showView(view === 'statistics' ? 'sessions' : 'statistics')}
        >
          <ChartColumn size={14} aria-hidden />
        </button>
        <button
          type="button"
          className={`btn quiet ${view === 'settings' ? 'on' : ''}`}
          aria-pressed={view === 'settings'}
          onClick={() => showView(view === 'settings' ? 'sessions' : 'settings')}
        >
          <Settings size={14} aria-hidden /> Settings
        </button>
        <button
          type="button"
          className="btn quiet icon"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts"
          onClick={() => openDialog('keys')}
        >
          <Keyboard size={14} aria-hidden />
        </button>
      </div>
    </div>
  );
}

function Search() {
  const typed = useSessions((state) => state.typed);
  return (
    <div className="side-search">
      <input
        type="search"
        className="field"
        aria-label="Search sessions"
        placeholder="Search sessions and commands"
        title="Words, “phrases”, and agent: state: tool: outcome: label: on: since: until:"
        maxLength={500}
        value={typed}
        onChange={(event) => lookFor(event.target.value)}
      />
    </div>
  );
}
