import { basename } from 'node:path';
import { AgentFile, type FileProblem } from '@shared/agent-file';
import type { Place } from './definition';
import { FiskFile, translateFisk } from './foreign/fisk';
import { HuskFile, translateHusk } from './foreign/husk';
import type { Translated } from './foreign/translation';
import { explain, findingsOf } from './problem-words';
import { readYaml } from './read-yaml';
import { parseYaml, type YamlSource } from './yaml-source';

export interface PlaceFinder {
  placeOf(path: readonly PropertyKey[]): Place;
}

export type AgentFileRead =
  | { readonly ok: true; readonly value: AgentFile; readonly source: PlaceFinder; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problems: readonly FileProblem[]; readonly source: YamlSource | null };

/** Reads an agent file: our own, or Fisk AI's agent.yaml or Husk's husk.yaml as they are. */
export function readAgentFile(path: string, text: string): AgentFileRead {
  const parsed = parseYaml(text);
  const kind = parsed.ok ? kindOf(basename(path), parsed.source.value) : 'own';
  switch (kind) {
    case 'own': {
      const read = readYaml(text, AgentFile);
      return read.ok ? { ...read, notes: [] } : read;
    }
    case 'fisk': {
      const read = readYaml(text, FiskFile);
      return read.ok ? translated(translateFisk(read.value, read.source), read.source) : read;
    }
    case 'husk': {
      const read = readYaml(text, HuskFile);
      return read.ok ? translated(translateHusk(read.value, read.source), read.source) : read;
    }
  }
}

/** By what only such a file says; by its name where it says nothing of the kind. */
function kindOf(file: string, value: unknown): 'own' | 'fisk' | 'husk' {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (['application_path', 'llm', 'system_prompt'].some((key) => keys.includes(key))) return 'fisk';
  if (['apiVersion', 'persona', 'fallbackModels'].some((key) => keys.includes(key))) return 'husk';
  if (/^husk\.ya?ml$/.test(file)) return 'husk';
  return 'own';
}

function translated({ agent, notes, problems, pathOf }: Translated, source: YamlSource): AgentFileRead {
  const places: PlaceFinder = { placeOf: (path) => source.placeOf(pathOf(path)) };
  const checked = AgentFile.safeParse(agent, { error: explain });
  const found = checked.success
    ? []
    : checked.error.issues
        .flatMap((issue) => findingsOf(issue, AgentFile))
        .map(({ message, path }) => ({ message, ...places.placeOf(path) }));
  const all = [...problems, ...found];
  if (!checked.success || all.length > 0) return { ok: false, problems: all, source };
  return { ok: true, value: checked.data, source: places, notes };
}
