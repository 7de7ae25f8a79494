import type { AgentFile, FileProblem } from '@shared/agent-file';
import type { z } from 'zod';
import type { YamlSource } from '../yaml-source';

type Path = readonly PropertyKey[];

/** What a file of another program says as an agent file of ours. */
export interface Translated {
  readonly agent: z.input<typeof AgentFile>;
  readonly notes: readonly string[];
  readonly problems: readonly FileProblem[];
  /** Where the file says what our key says. */
  readonly pathOf: (path: Path) => Path;
}

/**
 * Keeps book of what cannot be carried over. What would only have added something is a note; what would have restricted
 * the agent is a problem, so that nobody runs it believing that it is restricted.
 */
export class Translation {
  readonly notes: string[] = [];
  readonly problems: FileProblem[] = [];

  constructor(private readonly source: YamlSource) {}

  note(path: Path, why: string): void {
    this.notes.push(`${path.map(String).join('.')}: ${why}`);
  }

  /** Notes the keys that are there of a list of those that Sayso has no use for. */
  unused(
    value: object | undefined,
    path: Path,
    keys: readonly string[],
    why = 'not supported, it has no effect',
  ): void {
    for (const key of keys) {
      const given: unknown = value === undefined ? undefined : (value as Record<string, unknown>)[key];
      if (given !== undefined && given !== null && given !== false) this.note([...path, key], why);
    }
  }

  refuse(path: Path, why: string): void {
    const message = `${path.map(String).join('.')}: not supported, and it would restrict the agent: ${why}`;
    this.problems.push({ message, ...this.source.placeOfKey(path) });
  }
}
