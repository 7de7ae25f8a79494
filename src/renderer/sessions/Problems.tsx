import type { FileProblem } from '@shared/agent-file';
import { visible } from '../ui/text';

/** What is wrong in an agent file, each with its place. */
export function Problems({ problems }: { readonly problems: readonly FileProblem[] }) {
  return (
    <ul className="problems" aria-label="Warnings">
      {problems.map((problem) => (
        <li key={`${problem.line}:${problem.column}:${problem.message}`}>
          {problem.line !== null && (
            <span className="mono place">
              {problem.line}:{problem.column ?? 1}
            </span>
          )}{' '}
          <span className="iso">{visible(problem.message)}</span>
        </li>
      ))}
    </ul>
  );
}
