import type { AuditVerdict } from '@shared/bridge';
import { useState } from 'react';
import { notify, notifyError } from '../app/store';
import { ask } from '../ui/bridge';
import { plural } from '../ui/format';
import { visible } from '../ui/text';

/** The record of every settled request, which can be checked and taken along. */
export function AuditSection() {
  const [verdict, setVerdict] = useState<AuditVerdict | null>(null);
  const [busy, setBusy] = useState(false);

  const verify = async () => {
    setBusy(true);
    const result = await ask('verifyAudit', {});
    setBusy(false);
    if (result.ok) setVerdict(result.value);
    else notifyError(result.error);
  };
  const save = async () => {
    setBusy(true);
    const result = await ask('exportAudit', {});
    setBusy(false);
    if (!result.ok) return notifyError(result.error);
    const { path, rows } = result.value;
    if (path !== null) notify('info', `${plural(rows, 'decision')} written to ${path}.`);
  };

  return (
    <section className="setting">
      <h2>Audit</h2>
      <div>
        <p>Every request that was settled is on record, each row chained to the one before it.</p>
        <div className="with-button buttons">
          <button type="button" className="btn" disabled={busy} onClick={() => void verify()}>
            Verify audit
          </button>
          <button type="button" className="btn" disabled={busy} onClick={() => void save()}>
            Export audit…
          </button>
        </div>
        {verdict !== null && (
          <p role="status" className={verdict.ok ? 'hint' : 'problem'}>
            {verdict.ok
              ? `The chain holds: ${plural(verdict.rows, 'row')} checked.`
              : `The chain is broken at row ${verdict.seq} (request ${verdict.requestId}): ${visible(verdict.problem)}`}
          </p>
        )}
      </div>
    </section>
  );
}
