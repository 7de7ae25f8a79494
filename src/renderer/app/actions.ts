import type { Theme } from '@shared/settings';
import { loadSession } from '../sessions/store';
import { ask } from '../ui/bridge';
import { closeDialog, notifyError, showSession, useApp } from './store';
import { chooseTheme } from './theme';

export async function startDemo(): Promise<boolean> {
  const result = await ask('startDemo', {});
  if (!result.ok) {
    notifyError(result.error);
    return false;
  }
  closeDialog();
  await loadSession(result.value.sessionId);
  showSession(result.value.sessionId);
  return true;
}

export async function stopFocused(): Promise<void> {
  const { focused } = useApp.getState();
  if (focused === null) return;
  const result = await ask('stopRun', { sessionId: focused });
  if (!result.ok) notifyError(result.error);
}

/** Shown at once and then saved; put back when it could not be. */
export async function saveTheme(theme: Theme): Promise<void> {
  const { settings } = useApp.getState();
  if (settings === null) return;
  useApp.setState({ settings: { ...settings, theme } });
  chooseTheme(theme);
  const result = await ask('saveSettings', { settings: { ...settings, theme } });
  if (result.ok) return;
  useApp.setState({ settings });
  chooseTheme(settings.theme);
  notifyError(result.error);
}
