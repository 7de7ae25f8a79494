import type { KeyState } from '@shared/settings';
import { type FormEvent, useState } from 'react';
import { notify, notifyError, useApp } from '../app/store';
import { ask } from '../ui/bridge';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';

const SOURCES: Readonly<Record<KeyState['source'], string>> = {
  environment: 'A key comes from the environment (ANTHROPIC_API_KEY).',
  stored: 'A key is stored, encrypted by this system.',
  memory: 'A key is kept in memory only, until Sayso quits.',
  none: 'There is no key. Agents of the provider anthropic cannot run without one.',
};

export function KeySection() {
  const key = useApp((state) => state.key);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);

  const set = async (value: string | null) => {
    setBusy(true);
    const result = await ask('setApiKey', { key: value });
    setBusy(false);
    if (!result.ok) return notifyError(result.error);
    useApp.setState({ key: result.value.key });
    setTyped('');
    notify('info', value === null ? 'The key is forgotten.' : SOURCES[result.value.key.source]);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') void set(typed.trim());
  };
  const kept = key?.source === 'stored' || key?.source === 'memory';

  return (
    <section className="setting">
      <h2>
        <label htmlFor="api-key">API key</label>
      </h2>
      <form onSubmit={save}>
        {key !== null && (
          <p className="key-state">
            <Chip tone={key.source === 'none' ? 'wait' : 'ok'}>{key.source === 'none' ? 'no key' : 'has a key'}</Chip>{' '}
            {SOURCES[key.source]}
          </p>
        )}
        <div className="with-button">
          <input
            id="api-key"
            type="password"
            className="field mono"
            autoComplete="off"
            spellCheck={false}
            maxLength={1_000}
            placeholder={kept ? 'Replace the key' : 'Paste a key'}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <button type="submit" className="btn" disabled={busy || typed.trim() === ''}>
            Save key
          </button>
          <button type="button" className="btn" disabled={busy || !kept} onClick={() => void set(null)}>
            Forget key
          </button>
        </div>
        {key !== null && key.note !== '' && <p className={key.canStore ? 'hint' : 'hint warn'}>{visible(key.note)}</p>}
        <p className="hint">It never leaves the main process but to the provider, and no command ever gets it.</p>
      </form>
    </section>
  );
}
