import type { Grant } from '@shared/requests';
import { useState } from 'react';
import { notifyError, useApp } from '../app/store';
import { ask } from '../ui/bridge';
import { useNow } from '../ui/clock';
import { elapsedShort, plural } from '../ui/format';
import { oneLine, visible } from '../ui/text';
import { useSessions } from './store';

const NONE: readonly Grant[] = [];
const SCOPES = { exact: 'exact command', session: 'this session', agent: 'until quit' } as const;

/** What the operator said to remember for the focused session, each taken back with one click. */
export function Grants() {
  const focused = useApp((state) => state.focused);
  const all = useSessions((state) => (focused === null ? NONE : (state.grants.get(focused) ?? NONE)));
  const grants = all.filter((grant) => grant.revokedAt === null);
  if (grants.length === 0) return null;
  return (
    <section className="grants" aria-label="Remembered approvals">
      <h3>
        Remembered approvals <span>{grants.length}</span>
      </h3>
      <ul>
        {grants.map((grant) => (
          <GrantRow key={grant.id} grant={grant} />
        ))}
      </ul>
    </section>
  );
}

function Ends({ at }: { readonly at: number }) {
  const left = at - useNow();
  return <> · {left > 0 ? `ends in ${elapsedShort(left)}` : 'has ended'}</>;
}

/** Where it counts; nothing to say where no sandbox plays a part, or an older Sayso did not keep which. */
function boundsOf({ match }: Grant): string | undefined {
  const sandbox = match.scope === 'exact' ? undefined : match.sandbox;
  return sandbox && `Counts only in a sandbox as strong as the one it was given in: ${visible(sandbox.label)}`;
}

function GrantRow({ grant }: { readonly grant: Grant }) {
  const [busy, setBusy] = useState(false);
  const revoke = async () => {
    setBusy(true);
    const result = await ask('revokeGrant', { grantId: grant.id });
    if (result.ok) return;
    setBusy(false);
    notifyError(result.error);
  };
  return (
    <li>
      <div>
        <p className="iso" title={visible(grant.covers)}>
          {oneLine(grant.covers)}
        </p>
        <small title={boundsOf(grant)}>
          {SCOPES[grant.match.scope]} · {grant.uses === 0 ? 'not used yet' : `used ${plural(grant.uses, 'time')}`}
          {grant.expiresAt !== null && <Ends at={grant.expiresAt} />}
        </small>
      </div>
      <button type="button" className="btn tiny" disabled={busy} onClick={() => void revoke()}>
        Revoke
      </button>
    </li>
  );
}
