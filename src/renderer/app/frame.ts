/** Longest wait for a frame, in milliseconds: a window that is not visible draws none. */
const LATEST_MS = 200;

/** Collects what arrives and hands it over once a frame, so that eight streaming runs cost one render. */
export function perFrame<T>(deliver: (batch: readonly T[]) => void): (items: readonly T[]) => void {
  let batch: T[] = [];
  let scheduled = false;
  const run = () => {
    if (!scheduled) return;
    scheduled = false;
    const items = batch;
    batch = [];
    deliver(items);
  };
  return (items) => {
    for (const item of items) batch.push(item);
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(run);
    setTimeout(run, LATEST_MS);
  };
}
