import type { Push } from '@shared/bridge';
import type { Theme } from '@shared/settings';
import { nativeTheme } from 'electron';

/** Light or dark: the operator's choice, else the system's, told to the window whenever it changes. */
export class Appearance {
  constructor(send: (push: Push) => void) {
    nativeTheme.on('updated', () => send({ type: 'theme', dark: nativeTheme.shouldUseDarkColors }));
  }

  apply(theme: Theme): void {
    nativeTheme.themeSource = theme;
  }
}
