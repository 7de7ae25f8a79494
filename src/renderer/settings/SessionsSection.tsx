import type { Removal } from '@shared/sessions';
import { useState } from 'react';
import { notify, notifyError, useApp } from '../app/store';
import { importSession } from '../sessions/manage';
import { removalWords } from '../sessions/words';
import { ask } from '../ui/bridge';

const PROPOSED_DAYS = 90;
const MAX_DAYS = 3_650;

/** What is kept, and for how long; nothing is ever deleted unless the operator says so here. */
export function SessionsSection() {
  const settings = useApp((state) => state.settings);
  const rule = settings?.retentionDays ?? null;
  const [typed, setTyped] = useState<string | null>(null);
  const [removal, setRemoval] = useState<Removal | null>(null);
  if (settings === null) return null;
  const days = Number(typed ?? rule ?? PROPOSED_DAYS);
  const valid = Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;

  const preview = async () => {
    const result = await ask('previewRetention', { olderThanDays: days });
    if (result.ok) setRemoval(result.value.removal);
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
    setRemoval(null);
    if (!result.ok) return notifyError(result.error);
    notify('info', `${result.value.removal.sessions} sessions were deleted.`);
  };

  return (
    <section className="setting">
      <h2>Sessions</h2>
      <div>
        <p>Every session is kept until you delete it.{rule !== null && ` Now by a rule: after ${rule} days.`}</p>
        <label className="with-button buttons">
          <span>Ended, not pinned, and not moved for</span>
          <input
            className="field"
            type="number"
            aria-label="Days"
            min={1}
            max={MAX_DAYS}
            value={typed ?? String(rule ?? PROPOSED_DAYS)}
            onChange={(event) => {
              setTyped(event.target.value);
              setRemoval(null);
            }}
          />
          <span>days</span>
        </label>
        <div className="with-button buttons">
          <button type="button" className="btn" disabled={!valid} onClick={() => void preview()}>
            Show what would go
          </button>
          {removal !== null && removal.sessions > 0 && (
            <button type="button" className="btn danger" onClick={() => void removeNow()}>
              Delete these now
            </button>
          )}
          {removal !== null && rule !== days && (
            <button type="button" className="btn danger" onClick={() => void save(days)}>
              Always delete such
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
        {removal !== null && (
          <p role="status" className="hint">
            {removal.sessions === 0 ? 'Nothing would go.' : removalWords(removal)}
          </p>
        )}
      </div>
    </section>
  );
}
