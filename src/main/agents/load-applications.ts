import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { AgentFile, FileProblem } from '@shared/agent-file';
import type { ApplicationReference, ToolSelection } from './definition';
import type { PlaceFinder } from './read-agent-file';
import { readManifest } from './read-described';
import { readSmallTextFile } from './read-file';

/** Where an agent file lies, for the paths in it. */
export interface AgentPlace {
  /** The file's own, absolute. */
  readonly folder: string;
  /** What `~` stands for. */
  readonly home: string;
  readonly source: PlaceFinder;
}

export type LoadedApplications =
  | { readonly ok: true; readonly references: readonly ApplicationReference[]; readonly files: readonly string[] }
  | { readonly ok: false; readonly problems: readonly FileProblem[]; readonly files: readonly string[] };

/** A path as an agent file spells it: `~/x`, absolute, or relative to the file's folder. */
export function resolvePath(text: string, folder: string, home: string = homedir()): string {
  if (text === '~') return home;
  if (/^~[/\\]/.test(text)) return join(home, text.slice(2));
  return resolve(folder, text);
}

/** A problem of another file, at the place that names it. */
export function inFile(name: string, { message, line, column }: FileProblem): string {
  return line === null ? `${name}: ${message}` : `${name}, line ${line}, column ${column ?? 1}: ${message}`;
}

/** What `applications` names, with the manifests read. Nothing is run. */
export async function loadApplications(file: AgentFile, at: AgentPlace): Promise<LoadedApplications> {
  const references: ApplicationReference[] = [];
  const files: string[] = [];
  const problems: FileProblem[] = [];
  for (const [index, { path, manifest }] of file.applications.entries()) {
    if (manifest === undefined) {
      const place = at.source.placeOf(['applications', index, 'path']);
      const program = programPath(path ?? '', at.folder, at.home);
      references.push({ kind: 'fisk', program, place });
      continue;
    }
    const place = at.source.placeOf(['applications', index, 'manifest']);
    const manifestPath = resolvePath(manifest, at.folder, at.home);
    files.push(manifestPath);
    const read = await readSmallTextFile(manifestPath);
    const described = read.ok
      ? readManifest(read.text)
      : { ok: false as const, problems: [{ message: read.message, line: null, column: null }] };
    if (described.ok) {
      const program = programPath(described.value.program, dirname(manifestPath), at.home);
      references.push({ kind: 'manifest', program, manifest: described.value, place });
    } else {
      const name = basename(manifestPath);
      problems.push(...described.problems.map((problem) => ({ message: inFile(name, problem), ...place })));
    }
  }
  return problems.length > 0 ? { ok: false, problems, files } : { ok: true, references, files };
}

/** A program as a file spells it: a bare name is looked for on the PATH of its commands, all else is a path. */
function programPath(text: string, folder: string, home: string): string {
  return /[/\\]/.test(text) || text.startsWith('~') ? resolvePath(text, folder, home) : text;
}

/** What `include` or `exclude` names, with the places where it does. */
export function selection(file: AgentFile, key: 'include' | 'exclude', source: PlaceFinder): ToolSelection {
  const { tools, tags } = file[key];
  return { tags, tools: tools.map((value, index) => ({ value, place: source.placeOf([key, 'tools', index]) })) };
}
