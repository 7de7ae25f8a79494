import { type FormEvent, useState } from 'react';
import { notify, notifyError, useApp } from '../app/store';
import { ask } from '../ui/bridge';

export function ModelSection() {
  const settings = useApp((state) => state.settings);
  const [typed, setTyped] = useState<string | null>(null);
  const model = typed ?? settings?.model ?? '';

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (settings === null || model.trim() === '') return;
    const next = { ...settings, model: model.trim() };
    const result = await ask('saveSettings', { settings: next });
    if (!result.ok) return notifyError(result.error);
    useApp.setState({ settings: next });
    setTyped(null);
    notify('info', `New runs of agents that name no model use ${next.model}.`);
  };

  return (
    <section className="setting">
      <h2>
        <label htmlFor="default-model">Default model</label>
      </h2>
      <form onSubmit={(event) => void save(event)}>
        <div className="with-button">
          <input
            id="default-model"
            className="field mono"
            maxLength={200}
            value={model}
            onChange={(event) => setTyped(event.target.value)}
          />
          <button
            type="submit"
            className="btn"
            disabled={settings === null || model.trim() === '' || model === settings.model}
          >
            Save model
          </button>
        </div>
        <p className="hint">For agents whose file names none.</p>
      </form>
    </section>
  );
}
