import type { ApprovalRequest } from '@shared/requests';
import { Kept } from '../sessions/Kept';
import { hostCount, isSandboxed, keeperOf } from '../sessions/protections';
import { Diff } from '../ui/Diff';
import { bytes, limit, plural } from '../ui/format';
import { exact } from '../ui/text';

/** What the operator should know before deciding, beside the command itself. */
export function Facts({ request }: { readonly request: ApprovalRequest }) {
  const { preview, gatedBy, sandbox } = request;
  const keeper = keeperOf(request.keptBy, preview);
  return (
    <>
      {preview.kind === 'file' && <FileChange preview={preview} />}
      <dl className="facts">
        <dt>Asks</dt>
        <dd>
          {gatedBy.because === 'tag' ? (
            <>
              tag <span className="mono iso">{exact(gatedBy.tag)}</span>
            </>
          ) : gatedBy.because === 'sandbox' ? (
            <>the sandbox here lacks protections: this can change things</>
          ) : gatedBy.because === 'wider' ? (
            <>the sandbox kept it from something, and the agent file does not allow it</>
          ) : (
            <>mode {gatedBy.mode}: this can change things</>
          )}
        </dd>
        <dt>In</dt>
        <dd className="mono iso">{exact(request.cwd)}</dd>
        {(preview.kind === 'move' || preview.kind === 'delete') && (
          <>
            <dt>{preview.kind === 'move' ? 'Moves' : 'Deletes'}</dt>
            <dd>
              {plural(preview.files, 'file')}, {bytes(preview.bytes)}
              {preview.kind === 'delete' && preview.folder && ': the folder and all in it'}
            </dd>
          </>
        )}
        {preview.kind === 'command' && <Process preview={preview} />}
        {preview.kind === 'arguments' &&
          preview.rows.map((row) => (
            <div key={row.name} className="fact">
              <dt className="mono iso">{exact(row.name)}</dt>
              <dd className="mono iso long">{exact(row.value)}</dd>
            </div>
          ))}
        <Kept keeper={keeper} tier={sandbox} />
        {isSandboxed(keeper) && sandbox.hosts !== undefined && (
          <>
            <dt>Reaches</dt>
            <dd>
              <Hosts hosts={sandbox.hosts} />
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

/** In characters, commas left out: more than two lines of a card are one click away. */
const MAX_SHOWN = 60;

function Hosts({ hosts }: { readonly hosts: readonly string[] }) {
  const list = <span className="mono iso">{hosts.map(exact).join(', ')}</span>;
  if (hosts.join('').length <= MAX_SHOWN) return list;
  return (
    <details>
      <summary>{hostCount(hosts)}</summary>
      {list}
    </details>
  );
}

function Process({ preview }: { readonly preview: Extract<ApprovalRequest['preview'], { kind: 'command' }> }) {
  return (
    <>
      <dt>Program</dt>
      <dd className="mono iso">{exact(preview.program)}</dd>
      {preview.shell && (
        <>
          <dt>Shell</dt>
          <dd className="warn">The last row is a program of its own: sh reads and runs it.</dd>
        </>
      )}
      <dt>Gets</dt>
      <dd>
        <details>
          <summary>
            {plural(preview.environment.length, 'variable')} · at most {limit(preview.timeoutMs)}
          </summary>
          <span className="mono iso">{preview.environment.map(exact).join(', ')}</span>
        </details>
      </dd>
    </>
  );
}

function FileChange({ preview }: { readonly preview: Extract<ApprovalRequest['preview'], { kind: 'file' }> }) {
  return (
    <div className="change">
      <p className="change-head">
        <span>
          {preview.created ? 'New file' : 'Changes a file'} · <span className="plus">+{preview.added}</span>{' '}
          <span className="minus">−{preview.removed}</span>
        </span>
        <span>{bytes(preview.bytesAfter)} after</span>
      </p>
      <Diff diff={preview.diff} omittedLines={preview.omittedLines} />
    </div>
  );
}
