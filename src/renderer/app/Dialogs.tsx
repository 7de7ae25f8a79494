import { NewRunDialog } from '../sessions/NewRunDialog';
import { KeysDialog } from './KeysDialog';
import { Palette } from './Palette';
import { useApp } from './store';

export function Dialogs() {
  const dialog = useApp((state) => state.dialog);
  if (dialog === 'new-run') return <NewRunDialog />;
  if (dialog === 'palette') return <Palette />;
  return dialog === 'keys' ? <KeysDialog /> : null;
}
