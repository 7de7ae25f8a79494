import type { RiskLabel, Severity } from '@shared/requests';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';

const TONES = { severe: 'bad', high: 'bad', medium: 'wait', low: 'plain' } as const satisfies Record<Severity, string>;

/** Risk labels, worst first as they come. They inform: nothing is allowed or refused by them. */
export function Labels({ labels }: { readonly labels: readonly RiskLabel[] }) {
  if (labels.length === 0) return null;
  return (
    <div className="labels">
      {labels.map((label) => (
        <Chip key={label.id} tone={TONES[label.severity]} title={`${label.severity} risk`}>
          {visible(label.text)}
        </Chip>
      ))}
    </div>
  );
}
