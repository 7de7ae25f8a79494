import { clockTime } from '../ui/format';
import { visible } from '../ui/text';
import type { UserEntry } from './entries';

export function UserText({ entry }: { readonly entry: UserEntry }) {
  return (
    <div className="msg you">
      <span title={clockTime(entry.at)}>You</span>
      <div className="typed iso">{visible(entry.text)}</div>
    </div>
  );
}
