import { Search } from 'lucide-react';
import { needWords } from '../inbox/Inbox';
import { focusFirst } from '../inbox/navigate';
import { useInbox } from '../inbox/store';
import { useNow } from '../ui/clock';
import { commandKey } from './keys';
import { openDialog } from './store';

export function TopBar() {
  return (
    <header className="bar">
      <span className="brand">
        <i aria-hidden />
        Sayso
      </span>
      <button type="button" className="palette-button" aria-label="Commands" onClick={() => openDialog('palette')}>
        <Search size={12} aria-hidden />
        <span>Go to, search, do…</span>
        <span className="kbd" aria-hidden>
          {commandKey()} K
        </span>
      </button>
      <Need />
    </header>
  );
}

/** How many requests wait, and how long until the first of them expires. */
function Need() {
  const requests = useInbox((state) => state.requests);
  const unread = useInbox((state) => state.unread !== null);
  const now = useNow();
  if (requests.length === 0) return <span className="need none">{unread ? 'Inbox not read' : 'Nothing waits'}</span>;
  const first = Math.min(...requests.map((request) => request.expiresAt));
  return (
    <button type="button" className="need" title="Go to the most urgent request" onClick={focusFirst}>
      {needWords(requests.length, first - now)}
    </button>
  );
}
