import type { BridgeOutput } from '@shared/bridge';
import { useState } from 'react';
import { notify, notifyError, useApp } from '../app/store';
import { importSession } from '../sessions/manage';
import { removalWords, stayWords } from '../sessions/words';
import { ask } from '../ui/bridge';
import { useNow } from '../ui/clock';
import { day, plural } from '../ui/format';
import { oneLine } from '../ui/text';

type Preview = BridgeOutput<'previewRetention'>;

const PROPOSED_DAYS = 90;
const MAX_DAYS = 3_650;

/** What is kept, and for how long; nothing is ever deleted unless the operator says so here. */
export function SessionsSection() {
  const settings = useApp((state) => state.settings);
  const rule = settings?.retentionDays ?? null;
  const [typed, setTyped] = useState<string | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  if (settings === null) return null;
  const days = Number(typed ?? rule ?? PROPOSED_DAYS);
  const valid = Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;

  const show = async () => {
    const result = await ask('previewRetention', { olderThanDays: days });
    if (result.ok) setPreview(result.value);
    else notifyError(result.error);
  };
  const save = async (retentionDays: number | null) => {
    const next = { ...settings, retentionDays };
    const result = await ask('saveSettings', { settings: next });
    if (!result.ok) return notifyError(result.error);
    useApp.setState({ settings: next });
  };
  const removeNow = async () => {
    const result = await ask('applyRetention', { olderThanDays: days });
    setPreview(null);
    if (!result.ok) return notifyError(result.error);
    const { sessions } = result.value.removal;
    notify('info', `${plural(sessions, 'session was', 'sessions were')} deleted.`);
  };

  return (
    <section className="setting">
      <h2>Sessions</h2>
      <div>
        <p>
          {rule === null
            ? 'Every session is kept until you delete it.'
            : `Sessions that have ended, are not pinned and have not moved for ${plural(rule, 'day')} are deleted, at the start and once a day.`}
        </p>
        <label className="with-button buttons">
          <span>Sessions that have ended, are not pinned, and have not moved for</span>
          <input
            className="field"
            type="number"
            aria-label="Days"
            min={1}
            max={MAX_DAYS}
            value={typed ?? String(rule ?? PROPOSED_DAYS)}
            onChange={(event) => {
              setTyped(event.target.value);
              setPreview(null);
            }}
          />
          <span>days</span>
        </label>
        <div className="with-button buttons">
          <button type="button" className="btn" disabled={!valid} onClick={() => void show()}>
            Show what would go
          </button>
          {preview !== null && preview.removal.sessions > 0 && (
            <button type="button" className="btn danger" onClick={() => void removeNow()}>
              Delete these now
            </button>
          )}
          {preview !== null && rule !== days && (
            <button type="button" className="btn danger" onClick={() => void save(days)}>
              Delete such from now on
            </button>
          )}
          {rule !== null && (
            <button type="button" className="btn" onClick={() => void save(null)}>
              Keep everything again
            </button>
          )}
          <button type="button" className="btn" onClick={() => void importSession()}>
            Take in a session…
          </button>
        </div>
        {preview !== null && <WouldGo preview={preview} />}
      </div>
    </section>
  );
}

/** What a rule would delete, with the names of those that somebody may miss. */
function WouldGo({ preview: { removal, first } }: { readonly preview: Preview }) {
  const now = useNow();
  const more = removal.sessions - first.length;
  return (
    <div className="would-go" role="status">
      <p className="hint">
        {removal.sessions === 0 ? 'Nothing would go.' : [removalWords(removal), ...stayWords(removal)].join(' ')}
      </p>
      {first.length > 0 && (
        <ul aria-label="Sessions that would go">
          {first.map(({ id, title, updatedAt }) => (
            <li key={id}>
              <span className="iso">{oneLine(title)}</span> <time>{day(updatedAt, now)}</time>
            </li>
          ))}
          {more > 0 && <li className="hint">and {plural(more, 'older session')}</li>}
        </ul>
      )}
    </div>
  );
}
