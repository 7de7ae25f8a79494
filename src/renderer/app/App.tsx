import { AgentsPage } from '../agents/AgentsPage';
import { Inbox, useWindowTitle } from '../inbox/Inbox';
import { LongTaskBar } from '../sessions/LongTaskBar';
import { SessionColumn } from '../sessions/SessionColumn';
import { Sidebar } from '../sessions/Sidebar';
import { useSessions } from '../sessions/store';
import { SettingsPage } from '../settings/SettingsPage';
import { StatisticsPage } from '../statistics/StatisticsPage';
import { Toasts } from '../ui/Toasts';
import { Dialogs } from './Dialogs';
import { Empty } from './Empty';
import { ErrorBoundary } from './ErrorBoundary';
import { useGlobalKeys } from './keys';
import { Notices } from './Notices';
import { useApp } from './store';
import { TopBar } from './TopBar';
import { Unreadable } from './Unreadable';

export function App() {
  useGlobalKeys();
  useWindowTitle();
  return (
    <div className="app">
      <TopBar />
      <ErrorBoundary what="The list of sessions">
        <Sidebar />
      </ErrorBoundary>
      <div className="center">
        <Notices />
        <ErrorBoundary what="This page">
          <Page />
        </ErrorBoundary>
      </div>
      <ErrorBoundary what="The inbox">
        <Inbox />
      </ErrorBoundary>
      <Dialogs />
      <LongTaskBar />
      <Toasts />
    </div>
  );
}

function Page() {
  const view = useApp((state) => state.view);
  const columns = useApp((state) => state.columns);
  const focused = useApp((state) => state.focused);
  const ready = useSessions((state) => state.ready);
  const problem = useSessions((state) => state.problem);
  if (view === 'agents') return <AgentsPage />;
  if (view === 'statistics') return <StatisticsPage />;
  if (view === 'settings') return <SettingsPage />;
  if (columns.length > 0) {
    return (
      <div className="columns">
        {columns.map((id) => (
          <SessionColumn key={id} id={id} focused={id === focused} alone={columns.length === 1} />
        ))}
      </div>
    );
  }
  if (problem !== null) return <Unreadable error={problem} />;
  return ready ? <Empty /> : <main className="page" aria-busy aria-label="Sayso" />;
}
