import type { FileProblem } from '@shared/agent-file';
import type { z } from 'zod';
import { explain, findingsOf } from './problem-words';
import { parseYaml, type YamlSource } from './yaml-source';

export type YamlResult<T> =
  | { readonly ok: true; readonly value: T; readonly source: YamlSource }
  | { readonly ok: false; readonly problems: readonly FileProblem[]; readonly source: YamlSource | null };

const inOrder = (a: FileProblem, b: FileProblem): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

/**
 * Reads a YAML text by a schema. Everything that is wrong with it comes with line and column, from 1: an unknown key
 * with the place of the key, a missing one with the place of what should hold it, a wrong value with its own.
 */
export function readYaml<S extends z.ZodType>(text: string, schema: S): YamlResult<z.output<S>> {
  const parsed = parseYaml(text);
  if (!parsed.ok) return { ...parsed, source: null };
  const { source } = parsed;
  if (source.value === null) {
    return { ok: false, problems: [{ message: 'the file is empty', line: 1, column: 1 }], source };
  }
  const result = schema.safeParse(source.value, { error: explain });
  if (result.success) return { ok: true, value: result.data, source };
  const problems = result.error.issues
    .flatMap((issue) => findingsOf(issue, schema))
    .map(({ message, path, at }) => ({
      message,
      ...(at === 'key' ? source.placeOfKey(path) : source.placeOf(path)),
    }));
  return { ok: false, problems: problems.sort(inOrder), source };
}
