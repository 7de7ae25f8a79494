import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { AgentInfo } from '@shared/agent-file';
import { AGENT_FILE_SUFFIX, type AgentLoad, loadAgent } from './load';
import type { Watched } from './watch';

/** More agent files than anyone keeps in one folder; the rest is not read, and the operator is told. */
const MAX_FILES_PER_FOLDER = 500;
const SHIPPED = 'shipped:';

/** A folder with agent files. One that may be missing, and is, holds none; any other that is missing gives a notice. */
export type AgentFolder = string | { readonly path: string; readonly mayBeMissing: true };

export interface LibraryOptions {
  /** Where the agents lie that ship with the app; null for none. */
  readonly shippedFolder: string | null;
  readonly folders: readonly AgentFolder[];
  /** Single files that were opened before, from anywhere. */
  readonly files?: readonly string[];
}

interface Entry {
  readonly id: string;
  /** null for one that ships with the app. */
  readonly path: string | null;
  readonly load: AgentLoad;
}

interface Source {
  readonly path: string;
  readonly shipped: boolean;
}

/**
 * Every agent that there is, read from the files each time it is asked for, so that an edited file counts at once. Of
 * two agents with one name the earlier stays: those that ship, then the folders in their order, then opened files.
 */
export class AgentLibrary {
  readonly #options: LibraryOptions;
  readonly #files: string[];

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#files = (options.files ?? []).map((path) => resolve(path));
  }

  /** The single files that were opened, to be remembered for the next start. */
  get files(): readonly string[] {
    return this.#files;
  }

  /** All agents, broken ones with what is wrong with them. */
  async list(): Promise<AgentInfo[]> {
    return (await this.#scan()).entries.map(toInfo);
  }

  /** What the operator should know about the folders: one that is missing, unreadable or too full. */
  async notices(): Promise<readonly string[]> {
    return (await this.#scan()).notices;
  }

  /** One agent, read anew; null when there is none with this id. */
  async get(id: string): Promise<AgentLoad | null> {
    const { entries } = await this.#scan();
    return entries.find((entry) => entry.id === id)?.load ?? null;
  }

  /** An agent as the list shows it; null when there is none with this id. */
  async info(id: string): Promise<AgentInfo | null> {
    return (await this.list()).find((agent) => agent.id === id) ?? null;
  }

  /** Where a change may change an agent: the folders, and the files that agents were opened or read from. */
  async watched(): Promise<Watched> {
    const { entries } = await this.#scan();
    const read = entries.flatMap(({ load }) => (load.ok ? load.agent.files : (load.files ?? [])));
    const folders = this.#options.folders.map((folder) => resolve(typeof folder === 'string' ? folder : folder.path));
    return { folders, files: [...this.#files, ...read] };
  }

  /**
   * The id of an agent that ships with the app, by its name.
   * @throws Error when the app was installed without it
   */
  async shippedId(name: string): Promise<string> {
    const id = `${SHIPPED}${name}`;
    if ((await this.get(id)) === null) throw new Error(`the agent "${name}" is missing from this installation`);
    return id;
  }

  /** Adds a file from anywhere to the list, and gives it as the list shows it. */
  async open(path: string): Promise<AgentInfo> {
    const absolute = resolve(path);
    const listed = (await this.list()).find((agent) => agent.path === absolute);
    if (listed !== undefined) return listed;
    this.#files.push(absolute);
    const added = (await this.list()).find((agent) => agent.path === absolute);
    if (added === undefined) throw new Error(`${absolute} was opened and is not listed`);
    return added;
  }

  async #scan(): Promise<{ readonly entries: readonly Entry[]; readonly notices: readonly string[] }> {
    const notices: string[] = [];
    const { shippedFolder, folders } = this.#options;
    const shipped = shippedFolder === null ? [] : await agentFilesIn(shippedFolder, notices);
    const others: string[] = [];
    for (const folder of folders) others.push(...(await agentFilesIn(folder, notices)));
    others.push(...this.#files);

    const sources: Source[] = [
      ...shipped.map((path) => ({ path, shipped: true })),
      ...[...new Set(others)].map((path) => ({ path, shipped: false })),
    ];
    const entries = await Promise.all(sources.map(readEntry));
    return { entries: refuseSecondNames(entries), notices };
  }
}

async function agentFilesIn(folder: AgentFolder, notices: string[]): Promise<string[]> {
  const path = resolve(typeof folder === 'string' ? folder : folder.path);
  try {
    const names = (await readdir(path)).filter((name) => name.endsWith(AGENT_FILE_SUFFIX)).sort();
    if (names.length > MAX_FILES_PER_FOLDER) {
      notices.push(`${path} holds ${names.length} agent files: only the first ${MAX_FILES_PER_FOLDER} are read.`);
    }
    return names.slice(0, MAX_FILES_PER_FOLDER).map((name) => join(path, name));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT' && typeof folder !== 'string') return [];
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
    notices.push(`The agents folder ${path} ${why}.`);
    return [];
  }
}

async function readEntry({ path, shipped }: Source): Promise<Entry> {
  if (!shipped) return { id: path, path, load: await loadAgent(path) };
  const id = `${SHIPPED}${basename(path).slice(0, -AGENT_FILE_SUFFIX.length)}`;
  return { id, path: null, load: await loadAgent(path, { shippedId: id }) };
}

function refuseSecondNames(entries: readonly Entry[]): Entry[] {
  const owners = new Map<string, Entry>();
  return entries.map((entry) => {
    if (!entry.load.ok) return entry;
    const { name } = entry.load.agent;
    const owner = owners.get(name);
    if (owner === undefined) {
      owners.set(name, entry);
      return entry;
    }
    const message = `another agent is named "${name}" already (${owner.path ?? 'it ships with Sayso'}): choose another name`;
    return { ...entry, load: { ok: false, name, problems: [{ message, line: null, column: null }] } };
  });
}

function toInfo({ id, path, load }: Entry): AgentInfo {
  if (!load.ok) {
    return {
      id,
      path,
      name: load.name,
      description: '',
      provider: null,
      model: null,
      workspace: null,
      mode: null,
      problems: [...load.problems],
    };
  }
  const { name, description, provider, model, workspace, approvalMode } = load.agent;
  return { id, path, name, description, provider, model, workspace, mode: approvalMode, problems: [] };
}
