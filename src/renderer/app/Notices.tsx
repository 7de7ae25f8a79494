import { TriangleAlert, X } from 'lucide-react';
import { visible } from '../ui/text';
import { useApp } from './store';

/** What went wrong or was put right when the app started: it stays until it has been read. */
export function Notices() {
  const info = useApp((state) => state.info);
  const dismissed = useApp((state) => state.dismissedNotices);
  const notices = (info?.notices ?? []).filter((notice) => !dismissed.includes(notice));
  if (notices.length === 0) return null;
  return (
    <div className="notices">
      {notices.map((notice) => (
        <div key={notice} role="alert" className="notice-bar">
          <TriangleAlert size={14} aria-hidden />
          <p className="iso">{visible(notice)}</p>
          <button
            type="button"
            className="btn quiet icon"
            aria-label="Dismiss"
            onClick={() => useApp.setState({ dismissedNotices: [...dismissed, notice] })}
          >
            <X size={13} aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}
