import { type Allowance, allowanceWords } from '@shared/allowances';
import { exact } from './text';

/** What a command may do beyond its agent file, one a row: a path stands apart from the words around it. */
export function Allowances({ allowances }: { readonly allowances: readonly Allowance[] }) {
  return (
    <ul className="allowances">
      {allowances.map((allowance) => (
        <li key={allowanceWords(allowance)}>
          <What allowance={allowance} />
        </li>
      ))}
    </ul>
  );
}

function What({ allowance }: { readonly allowance: Allowance }) {
  if (allowance.kind === 'network') return <>{exact(allowanceWords(allowance))}</>;
  const { kind, path, is, nearestTo } = allowance;
  return (
    <>
      {kind} {is === 'file' ? 'the file' : kind === 'write' ? 'in' : ''} <span className="mono iso">{exact(path)}</span>
      {is === 'folder' && ' and all in it'}
      {nearestTo !== null && (
        <small>
          the nearest folder there is to <span className="mono iso">{exact(nearestTo)}</span>
        </small>
      )}
    </>
  );
}
