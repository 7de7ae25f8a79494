import { Push } from '@shared/bridge';
import type { JournalEvent } from '@shared/events';
import type { SessionId } from '@shared/ids';
import type { SessionSummary } from '@shared/sessions';
import { focusRequest } from '../inbox/navigate';
import { takeInbox, takeSettlements, useInbox } from '../inbox/store';
import { takeGone, takeProgress } from '../sessions/manage';
import { takeRunStarts } from '../sessions/run-sandbox';
import { loadSession, search, takeGrants, takeSummaries, useSessions } from '../sessions/store';
import { takeEvents } from '../timeline/paging';
import { watch } from '../timeline/visits';
import { ask } from '../ui/bridge';
import { perFrame } from './frame';
import { restoreColumns, saveColumns } from './remember';
import { notify, notifyError, showSession, useApp } from './store';
import { chooseTheme, showTheme } from './theme';

const events = perFrame<JournalEvent>((batch) => {
  takeEvents(batch);
  takeSettlements(batch);
  takeRunStarts(batch);
});
const summaries = perFrame<SessionSummary>(takeSummaries);

function take(input: unknown): void {
  const parsed = Push.safeParse(input);
  if (!parsed.success) {
    notify(
      'error',
      'The main process sent something that this window does not understand.',
      'Nothing is lost: it is in the journal. Restart Sayso to see it.',
    );
    return;
  }
  const push = parsed.data;
  switch (push.type) {
    case 'events':
      events(push.events);
      break;
    case 'sessions':
      summaries(push.sessions);
      break;
    case 'inbox':
      takeInbox(push.requests);
      loadUnknown();
      break;
    case 'grants':
      takeGrants(push.sessionId, push.grants);
      break;
    case 'gone':
      takeGone(push.sessionIds);
      break;
    case 'trouble':
      notify('error', push.message, push.remedy);
      break;
    case 'progress':
      takeProgress(push);
      break;
    case 'agents':
      void loadAgents();
      break;
    case 'theme':
      showTheme(push.dark);
      break;
    case 'show':
      showSession(push.sessionId);
      showRequestOf(push.sessionId);
      break;
  }
}

/** The operator came here for what waits there: by a notification, or from the menu. */
function showRequestOf(sessionId: SessionId): void {
  const [first] = useInbox.getState().requests.filter((request) => request.sessionId === sessionId);
  if (first !== undefined) focusRequest(first.id);
}

/** Sessions with a request that lie beyond the pages listed so far belong in the sidebar all the same. */
function loadUnknown(): void {
  const { byId, ready } = useSessions.getState();
  if (!ready) return;
  const unknown = new Set(
    useInbox
      .getState()
      .requests.map((request) => request.sessionId)
      .filter((id) => !byId.has(id)),
  );
  for (const id of unknown) void loadSession(id);
}

export async function loadAgents(): Promise<void> {
  const result = await ask('listAgents', {});
  if (result.ok) useApp.setState({ agents: result.value.agents });
  else notifyError(result.error);
}

export async function loadSettings(): Promise<void> {
  const result = await ask('getSettings', {});
  if (!result.ok) {
    notifyError(result.error);
    return;
  }
  useApp.setState({ settings: result.value.settings, key: result.value.key });
  chooseTheme(result.value.settings.theme);
}

async function loadInfo(): Promise<void> {
  const result = await ask('getAppInfo', {});
  if (result.ok) useApp.setState({ info: result.value });
  else notifyError(result.error);
}

async function loadInbox(): Promise<void> {
  const result = await ask('listRequests', {});
  if (result.ok) takeInbox(result.value.requests);
  else useInbox.setState({ unread: result.error });
}

/** True from the first list on: until then nobody knows which sessions there are. */
let listed = false;

async function loadSessions(): Promise<void> {
  await search('');
  loadUnknown();
  listed = true;
  openSomething();
}

/** After a reload the window shows what it showed before; otherwise what needs the operator most. */
function openSomething(): void {
  if (!listed || useApp.getState().columns.length > 0) return;
  const { byId } = useSessions.getState();
  const before = restoreColumns().filter((id) => byId.has(id));
  const urgent = useInbox.getState().requests[0]?.sessionId;
  const newest = [...byId.values()].sort((a, b) => b.updatedAt - a.updatedAt)[0]?.id;
  const focused = urgent ?? before[0] ?? newest;
  if (focused === undefined) return;
  useApp.setState({ columns: before.includes(focused) ? before : [focused], focused });
}

/** Reads everything, at the start and when the store was opened anew. */
export function reload(): void {
  void loadInfo();
  void loadSettings();
  void loadAgents();
  void loadInbox().then(loadSessions);
}

/** Starts listening before asking, so that nothing falls between the two. */
export function boot(): void {
  window.sayso.onPush(take);
  useApp.subscribe((state, before) => {
    if (state.columns === before.columns) return;
    saveColumns(state.columns);
    void watch(state.columns);
    for (const id of state.columns) if (!before.columns.includes(id)) void loadSession(id);
  });
  // A session that begins while nothing is open, from the command line or a notification, is shown at once.
  useSessions.subscribe((state, before) => {
    if (state.byId !== before.byId) openSomething();
  });
  reload();
}
