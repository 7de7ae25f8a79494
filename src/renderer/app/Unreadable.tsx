import type { BridgeError } from '@shared/bridge';
import { ask } from '../ui/bridge';
import { visible } from '../ui/text';
import { reload } from './boot';
import { notify, notifyError } from './store';

/** In place of the sessions, where they could not be read: an empty app would be a lie. */
export function Unreadable({ error }: { readonly error: BridgeError }) {
  return (
    <main className="page empty" aria-labelledby="unreadable-title" data-pane="main">
      <div className="empty-body" role="alert">
        <h1 id="unreadable-title">Your sessions could not be read</h1>
        <p className="iso">{visible(error.message)}</p>
        {error.remedy !== undefined && <p className="iso">{visible(error.remedy)}</p>}
        {error.code === 'damaged' && (
          <>
            <button type="button" className="btn" onClick={() => void recover('backup')}>
              Set it aside and restore the last backup
            </button>
            <button type="button" className="btn" onClick={() => void recover('empty')}>
              Set it aside and start empty
            </button>
          </>
        )}
        <button type="button" className="btn" onClick={reload}>
          Try again
        </button>
      </div>
    </main>
  );
}

async function recover(from: 'backup' | 'empty'): Promise<void> {
  const result = await ask('recoverStore', { from });
  if (!result.ok) return notifyError(result.error);
  notify('info', `The damaged store is kept at ${result.value.setAside}.`);
  reload();
}
