import type { SessionId } from '@shared/ids';
import { useId } from 'react';
import { ErrorBoundary } from '../app/ErrorBoundary';
import { focusColumn } from '../app/store';
import { Timeline } from '../timeline/Timeline';
import { Reply } from './Reply';
import { SessionHead } from './SessionHead';
import { useSessions } from './store';

interface Props {
  readonly id: SessionId;
  readonly focused: boolean;
  readonly alone: boolean;
}

/**
 * One session. The focused one is the window's main landmark; those beside it are regions. It is one element with a
 * changing role, because another element would lose the reader's place.
 */
export function SessionColumn({ id, focused, alone }: Props) {
  const session = useSessions((state) => state.byId.get(id));
  const titleId = useId();
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is main or region, and both take a name
    <div
      role={focused ? 'main' : 'region'}
      aria-labelledby={titleId}
      className={`column${focused && !alone ? ' focused' : ''}`}
      data-pane={focused ? 'main' : undefined}
      onFocusCapture={() => focusColumn(id)}
      onPointerDownCapture={() => focusColumn(id)}
    >
      <ErrorBoundary what="This session">
        {session === undefined ? (
          <h1 id={titleId} className="hint">
            Opening the session…
          </h1>
        ) : (
          <>
            <SessionHead session={session} titleId={titleId} alone={alone} />
            <Timeline session={session} />
            <Reply session={session} />
          </>
        )}
      </ErrorBoundary>
    </div>
  );
}
