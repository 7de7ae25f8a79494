import { Theme } from '@shared/settings';
import { saveTheme } from '../app/actions';
import { useApp } from '../app/store';

const WORDS: Readonly<Record<Theme, string>> = { system: 'As the system', dark: 'Dark', light: 'Light' };

export function ThemeSection() {
  const settings = useApp((state) => state.settings);
  return (
    <section className="setting">
      <h2>
        <label htmlFor="theme">Theme</label>
      </h2>
      <select
        id="theme"
        className="field short"
        value={settings?.theme ?? 'system'}
        disabled={settings === null}
        onChange={(event) => {
          const theme = Theme.safeParse(event.target.value);
          if (theme.success) void saveTheme(theme.data);
        }}
      >
        {Theme.options.map((theme) => (
          <option key={theme} value={theme}>
            {WORDS[theme]}
          </option>
        ))}
      </select>
    </section>
  );
}
