import { Play } from 'lucide-react';
import { useState } from 'react';
import { startDemo } from './actions';

/** A first start shows one thing to do. */
export function Empty() {
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    await startDemo();
    setBusy(false);
  };
  return (
    <main className="page empty" aria-labelledby="empty-title" data-pane="main">
      <div className="empty-body">
        <span className="logo" aria-hidden />
        <h1 id="empty-title">Agents act only on your say-so</h1>
        <p>
          Watch one work. The demo agent reads a small project, asks you before it changes anything, and shows what your
          answer did. It needs no key and no network, and works in a folder of its own.
        </p>
        <button type="button" className="btn primary large" disabled={busy} onClick={() => void start()}>
          <Play size={15} aria-hidden /> Start the demo run
        </button>
      </div>
    </main>
  );
}
