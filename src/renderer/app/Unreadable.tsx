import type { BridgeError, BridgeInput } from '@shared/bridge';
import { useState } from 'react';
import { ask } from '../ui/bridge';
import { visible } from '../ui/text';
import { reload } from './boot';
import { notify, notifyError } from './store';

/** In place of the sessions, where they could not be read: an empty app would be a lie. */
export function Unreadable({ error }: { readonly error: BridgeError }) {
  const [busy, setBusy] = useState(false);
  const recover = async (from: BridgeInput<'recoverStore'>['from']) => {
    setBusy(true);
    const result = await ask('recoverStore', { from });
    setBusy(false);
    if (!result.ok) return notifyError(result.error);
    if (result.value.setAside !== null) notify('info', `The damaged store is kept at ${result.value.setAside}.`);
    reload();
  };
  return (
    <main className="page empty" aria-labelledby="unreadable-title" data-pane="main">
      <div className="empty-body" role="alert">
        <h1 id="unreadable-title">Your sessions could not be read</h1>
        <p className="iso">{visible(error.message)}</p>
        {error.remedy !== undefined && <p className="iso">{visible(error.remedy)}</p>}
        {error.code === 'damaged' && (
          <>
            <button type="button" className="btn" disabled={busy} onClick={() => void recover('backup')}>
              Set it aside and restore the last backup
            </button>
            <button type="button" className="btn" disabled={busy} onClick={() => void recover('empty')}>
              Set it aside and start empty
            </button>
          </>
        )}
        <button type="button" className="btn" disabled={busy} onClick={() => void recover('again')}>
          Try again
        </button>
      </div>
    </main>
  );
}
