import type { BridgeError } from '@shared/bridge';
import { visible } from '../ui/text';
import { reload } from './boot';

/** In place of the sessions, where they could not be read: an empty app would be a lie. */
export function Unreadable({ error }: { readonly error: BridgeError }) {
  return (
    <main className="page empty" aria-labelledby="unreadable-title" data-pane="main">
      <div className="empty-body" role="alert">
        <h1 id="unreadable-title">Your sessions could not be read</h1>
        <p className="iso">{visible(error.message)}</p>
        {error.remedy !== undefined && <p className="iso">{visible(error.remedy)}</p>}
        <button type="button" className="btn" onClick={reload}>
          Try again
        </button>
      </div>
    </main>
  );
}
