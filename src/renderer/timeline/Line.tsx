import { CircleAlert, Info, KeyRound, LoaderCircle, RotateCw, TriangleAlert } from 'lucide-react';
import { useNow } from '../ui/clock';
import { elapsed } from '../ui/format';
import { visible } from '../ui/text';
import type { AskingEntry, GrantEntry, NoticeEntry, RetryEntry } from './entries';

const NOTICES = { info: Info, warning: TriangleAlert, error: CircleAlert } as const;

/** The small things between the entries that matter: one line each. */
export function Line({ entry }: { readonly entry: AskingEntry | RetryEntry | GrantEntry | NoticeEntry }) {
  switch (entry.kind) {
    case 'asking':
      return <Asking entry={entry} />;
    case 'retry':
      return (
        <p className="line-entry">
          <RotateCw size={12} aria-hidden /> asked again: {visible(entry.reason)}
        </p>
      );
    case 'grant':
      return (
        <p className="line-entry iso">
          <KeyRound size={12} aria-hidden /> {grantWords(entry)}
        </p>
      );
    case 'notice': {
      const Icon = NOTICES[entry.level];
      return (
        <p className={`line-entry notice ${entry.level} iso`}>
          <Icon size={12} aria-hidden /> <span>{visible(entry.text)}</span>
        </p>
      );
    }
  }
}

const ASKED = { reply: 'waiting for the model', summary: 'the model summarises older turns' } as const;

function Asking({ entry }: { readonly entry: AskingEntry }) {
  const now = useNow();
  return (
    <p className="line-entry">
      <LoaderCircle size={12} className="spin" aria-hidden /> {ASKED[entry.wanted]} · {elapsed(now - entry.at)}
    </p>
  );
}

function grantWords(entry: GrantEntry): string {
  const covers = entry.covers === '' ? 'a remembered approval' : visible(entry.covers);
  if (entry.what === 'given') return `remembered from now on: ${covers}`;
  return `${entry.what}: ${covers}`;
}
