import { readFileSync } from 'node:fs';
import { foldersBetween } from '../paths';

/** One line of proc(5), mountinfo. */
export interface Mounted {
  readonly id: string;
  readonly parent: string;
  /** Numbers of the file system. */
  readonly device: string;
  /** What of the file system is seen: a path in it, as it is called now. */
  readonly root: string;
  /** Where it is seen. */
  readonly point: string;
  readonly isReadOnly: boolean;
  readonly type: string;
}

/** Where something is: in which file system, and at which path in it. */
export type Place = Pick<Mounted, 'device' | 'root'>;

/** What is mounted where, as one process sees it. */
export class MountTable {
  readonly root: Mounted;
  private readonly byPlace: ReadonlyMap<string, Mounted>;

  /** @throws Error where nothing is mounted at the root */
  constructor(lines: readonly Mounted[]) {
    const ids = new Set(lines.map(({ id }) => id));
    const root = lines.find(({ parent, point }) => point === '/' && !ids.has(parent));
    if (root === undefined) throw new Error('No root is mounted.');
    this.root = root;
    this.byPlace = new Map(lines.map((line) => [keyOf(line.parent, line.point), line]));
  }

  /** The mount that a path leads into, without links: the kernel goes through them in this order. */
  at(path: string): Mounted {
    let there = this.root;
    for (const place of [...foldersBetween('/', path), path]) {
      for (;;) {
        const next = this.byPlace.get(keyOf(there.id, place));
        if (next === undefined) break;
        there = next;
      }
    }
    return there;
  }

  /** Where a path is, without links. */
  placeOf(path: string): Place {
    const { device, root, point } = this.at(path);
    return { device, root: joined(root, path.slice(point === '/' ? 0 : point.length)) };
  }

  /** The mount on which another one stands. */
  under({ parent }: Mounted): Mounted | null {
    return [...this.byPlace.values()].find(({ id }) => id === parent) ?? null;
  }
}

const keyOf = (parent: string, point: string): string => `${parent} ${point}`;

const joined = (root: string, below: string): string => (root === '/' ? below || '/' : `${root}${below}`);

/** @throws Error where the process is gone */
export function mountTableOf(pid: number | 'self'): MountTable {
  const text = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  return new MountTable(text.split('\n').filter(Boolean).map(parsed));
}

function parsed(line: string): Mounted {
  const [mount = '', source = ''] = line.split(' - ');
  const [id = '', parent = '', device = '', root = '', point = '', options = ''] = mount.split(' ');
  return {
    id,
    parent,
    device,
    root: unescaped(root),
    point: unescaped(point),
    isReadOnly: options.split(',').includes('ro'),
    type: source.split(' ')[0] ?? '',
  };
}

/** Spaces, tabs, line breaks and backslashes are written as three octal digits. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
