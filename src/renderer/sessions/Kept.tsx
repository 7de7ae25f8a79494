import type { KeptBy, SandboxTier } from '@shared/states';
import { visible } from '../ui/text';
import { type Held, HOLD_LOOK, heldBy, hostCount, isSandboxed } from './protections';

interface Props {
  /** null where it is not on record. */
  readonly keeper: KeptBy | null;
  /** Of the run's commands; null where it is not on record. */
  readonly tier: SandboxTier | null;
}

/** What keeps a call within bounds, as a row of facts: who does, and what holds. What has no part in it is one chip. */
export function Kept({ keeper, tier }: Props) {
  const kept = keeper === null ? null : heldBy(keeper, tier);
  if (keeper === null || kept === null) {
    return (
      <>
        <dt>Kept by</dt>
        <dd className="hint">not on record</dd>
      </>
    );
  }
  const hosts = isSandboxed(keeper) ? tier?.hosts : undefined;
  const unused = kept.held.filter(({ hold }) => hold === 'unused');
  return (
    <>
      <dt>Kept by</dt>
      <dd className="kept">
        <span className="who" title={isSandboxed(keeper) && tier !== null ? visible(tier.label) : undefined}>
          {kept.who}
        </span>
        {kept.held
          .filter(({ hold }) => hold !== 'unused')
          .map((one) => (
            <Holds key={one.name} held={[one]} more={one.name === 'network' && hosts ? `: ${hostCount(hosts)}` : ''} />
          ))}
        {unused.length > 0 && <Holds held={unused} more="" />}
      </dd>
    </>
  );
}

/** Protections that hold alike. */
function Holds({ held, more }: { readonly held: readonly Held[]; readonly more: string }) {
  const [first] = held;
  if (first === undefined) return null;
  const { sign, words, tone } = HOLD_LOOK[first.hold];
  return (
    <span className={`hold ${tone}`} title={held.map((one) => one.words).join('; ')}>
      <span aria-hidden>{sign}</span> {held.map(({ name }) => name).join(', ')}
      {more}
      <span className="sr-only"> {words}</span>
    </span>
  );
}
