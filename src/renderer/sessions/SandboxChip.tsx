import { useId } from 'react';
import { showView, useApp } from '../app/store';
import { PROTECTIONS, protectionWords } from './words';

/** Which protections really hold here: the label says it in short, the list under it one by one, the settings why. */
export function SandboxChip() {
  const sandbox = useApp((state) => state.info?.sandbox);
  const id = useId();
  if (sandbox === undefined) return null;
  const whole = PROTECTIONS.every((name) => sandbox[name] === 'enforced');
  return (
    <span className="tip-host">
      <button
        type="button"
        className={`chip ${whole ? 'ok' : 'plain'}`}
        aria-describedby={id}
        onClick={() => showView('settings')}
      >
        sandbox: {sandbox.label}
      </button>
      <span id={id} role="tooltip" className="tip">
        {PROTECTIONS.map((name) => (
          <span key={name} className={sandbox[name] === 'enforced' ? 'yes' : 'no'}>
            {sandbox[name] === 'enforced' ? '✓' : '✕'} {protectionWords(name, sandbox)}
          </span>
        ))}
      </span>
    </span>
  );
}
