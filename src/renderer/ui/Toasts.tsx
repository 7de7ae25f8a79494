import { CircleAlert, Info, X } from 'lucide-react';
import { dismissToast, useApp } from '../app/store';
import { useSessions } from '../sessions/store';
import { visible } from './text';

/** What went wrong, or was done, lately. It lies over the foot of the window and takes no focus. */
export function Toasts() {
  const toasts = useApp((state) => state.toasts);
  // Where the sessions could not be read the page says so already, and everything else failed for the same reason.
  const said = useSessions((state) => state.problem?.message);
  return (
    <div className="toasts">
      {toasts
        .filter((toast) => toast.message !== said)
        .map((toast) => (
          <div key={toast.id} className={`toast ${toast.level}`} role={toast.level === 'error' ? 'alert' : 'status'}>
            {toast.level === 'error' ? <CircleAlert size={15} aria-hidden /> : <Info size={15} aria-hidden />}
            <div>
              <p>{visible(toast.message)}</p>
              {toast.remedy !== '' && <p className="remedy">{visible(toast.remedy)}</p>}
            </div>
            <button
              type="button"
              className="btn quiet icon"
              aria-label="Dismiss"
              onClick={() => dismissToast(toast.id)}
            >
              <X size={13} aria-hidden />
            </button>
          </div>
        ))}
    </div>
  );
}
