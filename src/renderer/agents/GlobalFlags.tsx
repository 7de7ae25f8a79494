import type { GlobalFlagInfo } from '@shared/agent-details';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';

/** The flags of whole applications, and which of them the agent's tools expose. */
export function GlobalFlags({ flags }: { readonly flags: readonly GlobalFlagInfo[] }) {
  if (flags.length === 0) return null;
  return (
    <section>
      <h3>Global flags</h3>
      <ul className="global-flags" aria-label="Global flags">
        {flags.map(({ application, name, help, required, exposed }) => (
          <li key={`${application} ${name}`}>
            <Chip tone={exposed ? 'ok' : 'stop'}>
              {exposed ? (required ? '✓ exposed, required' : '✓ exposed') : 'not exposed'}
            </Chip>
            <span className="mono iso">--{visible(name)}</span>
            <span className="hint iso">
              {visible(application)}
              {help !== '' && `: ${visible(help)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
