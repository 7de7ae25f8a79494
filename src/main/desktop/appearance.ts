import type { Push } from '@shared/bridge';
import type { Theme } from '@shared/settings';
import { nativeTheme } from 'electron';

/** Light or dark: the operator's choice, else the system's, told to the window whenever it changes. */
export class Appearance {
  readonly #updated: () => void;

  constructor(send: (push: Push) => void) {
    this.#updated = () => send({ type: 'theme', dark: nativeTheme.shouldUseDarkColors });
    nativeTheme.on('updated', this.#updated);
  }

  end(): void {
    nativeTheme.off('updated', this.#updated);
  }

  apply(theme: Theme): void {
    nativeTheme.themeSource = theme;
  }
}
