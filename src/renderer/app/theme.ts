import type { Theme } from '@shared/settings';

const media = window.matchMedia('(prefers-color-scheme: light)');
let chosen: Theme = 'system';

export function showTheme(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

function apply(): void {
  showTheme(chosen === 'system' ? !media.matches : chosen === 'dark');
}

/** What the operator chose in the settings; `system` follows the system from now on. */
export function chooseTheme(theme: Theme): void {
  chosen = theme;
  apply();
}

/** Before anything is drawn, so that the window never flashes in the wrong colours. */
export function followSystemTheme(): void {
  media.addEventListener('change', apply);
  apply();
}
