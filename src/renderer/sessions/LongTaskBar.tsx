import { useLongTask } from './manage';

const WORDS = { export: 'Exporting', import: 'Taking in', delete: 'Deleting', backup: 'Backing up' } as const;

/** How far an export, an import or a deletion is. */
export function LongTaskBar() {
  const task = useLongTask((state) => state.task);
  if (task === null) return null;
  const { done, total } = task;
  const words = `${WORDS[task.task]}… ${done.toLocaleString('en')}${total === null ? '' : ` of ${total.toLocaleString('en')}`}`;
  return (
    <div className="long-task" role="status">
      <span>{words}</span>
      <progress aria-label={WORDS[task.task]} value={total === null ? undefined : done} max={total ?? undefined} />
    </div>
  );
}
