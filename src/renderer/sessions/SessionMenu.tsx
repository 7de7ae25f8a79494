import type { SessionSummary } from '@shared/sessions';
import { isTerminal } from '@shared/states';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Menu } from '../ui/Menu';
import { DeleteDialog } from './DeleteDialog';
import { clearSession, exportSession, forkWhole, pinSession } from './manage';
import { RenameDialog } from './RenameDialog';

/** What can be done with a session as a whole. */
export function SessionMenu({ session }: { readonly session: SessionSummary }) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null);
  const { id, pinned } = session;
  const runs = !isTerminal(session.state);
  const close = () => setDialog(null);
  return (
    <>
      <Menu
        label="Session menu"
        items={[
          { name: 'Rename…', run: () => setDialog('rename') },
          { name: pinned ? 'Unpin' : 'Pin', run: () => void pinSession(id, !pinned) },
          { name: 'Fork from here', run: () => void forkWhole(id) },
          { name: 'Clear: begin a new conversation', run: () => void clearSession(id), disabled: runs },
          { name: 'Export as JSON Lines: whole, with secrets…', run: () => void exportSession(id, 'jsonl') },
          { name: 'Export as Markdown: secrets redacted…', run: () => void exportSession(id, 'markdown') },
          { name: 'Export as HTML: secrets redacted…', run: () => void exportSession(id, 'html') },
          { name: 'Delete…', run: () => setDialog('delete'), danger: true, disabled: runs },
        ]}
      >
        <Ellipsis size={15} aria-hidden />
      </Menu>
      {dialog === 'rename' && <RenameDialog session={session} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog session={session} onClose={close} />}
    </>
  );
}
