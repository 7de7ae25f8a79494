import type { Request } from '@shared/requests';
import { useNow } from '../ui/clock';
import { timeLeft } from '../ui/format';

export function TimeLeft({ request }: { readonly request: Request }) {
  const left = request.expiresAt - useNow();
  return (
    <span role="timer" aria-label="Time left" className={`left${left < 20_000 ? ' soon' : ''}`}>
      {timeLeft(left)}
    </span>
  );
}

/** The same as a thin line that gets shorter. */
export function TimeBar({ request }: { readonly request: Request }) {
  const left = request.expiresAt - useNow();
  const whole = Math.max(1, request.expiresAt - request.createdAt);
  const percent = Math.min(100, Math.max(0, (left / whole) * 100));
  return (
    <div className="bar-time" aria-hidden>
      <i style={{ width: `${percent}%` }} />
    </div>
  );
}
