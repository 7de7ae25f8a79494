import type { Allowance } from '@shared/allowances';
import type { ApprovalRequest } from '@shared/requests';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Allowances } from '../ui/Allowances';
import { useSeen } from './seen';

type WiderGate = Extract<ApprovalRequest['gatedBy'], { because: 'wider' }>;

interface Props {
  readonly gatedBy: WiderGate;
  readonly onSeen: () => void;
}

/** What a command would be allowed beyond its agent file, and that it has run. It reports when all of it was on screen. */
export function Wider({ gatedBy, onSeen }: Props) {
  const { exitCode, allows } = gatedBy;
  const section = useRef<HTMLElement>(null);
  const { whole } = useSeen(section);
  useEffect(() => {
    if (whole) onSeen();
  }, [whole, onSeen]);
  return (
    <section ref={section} className="wider" aria-label="Also allowed, this once">
      <h3>
        <TriangleAlert size={14} aria-hidden /> Also allowed, this once
      </h3>
      <Allowances allowances={allows} />
      <p>
        It has <b>already run once</b> and ended with exit code {exitCode}. Approving runs it <b>again</b>.
      </p>
      {allows.some(isGuessed) && (
        <p className="hint">What it was refused is taken from what it printed, which it may have made up.</p>
      )}
    </section>
  );
}

/** The proxy knows which host it refused; all else is read from what the command printed or was called with. */
const isGuessed = (allowance: Allowance): boolean => allowance.kind !== 'network' || allowance.host === null;
