import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { unescaped } from '../mounts-below';
import { foldersBetween } from '../paths';
import { O_PATH } from './in-folder';

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

  /**
   * @param top a path that leads to the root of that process
   * @throws Error where nothing is mounted there
   */
  constructor(
    readonly lines: readonly Mounted[],
    readonly top: string,
  ) {
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
    return this.lines.find(({ id }) => id === parent) ?? null;
  }

  /**
   * What is at a path now, and the id of the mount that it is seen in.
   * @throws Error where a link is on the way
   */
  objectAt(path: string): { readonly mount: string; readonly device: bigint; readonly inode: bigint } {
    let fd = openSync(this.top, O_PATH);
    try {
      for (const name of path.split('/').filter(Boolean)) {
        const next = openSync(`/proc/self/fd/${fd}/${name}`, O_PATH | constants.O_NOFOLLOW);
        closeSync(fd);
        fd = next;
      }
      const { dev, ino } = fstatSync(fd, { bigint: true });
      const mount = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '';
      return { mount, device: dev, inode: ino };
    } finally {
      closeSync(fd);
    }
  }
}

const keyOf = (parent: string, point: string): string => `${parent} ${point}`;

const joined = (root: string, below: string): string => (root === '/' ? below || '/' : `${root}${below}`);

/** @throws Error where the process is gone */
export function mountTableOf(pid: number | 'self'): MountTable {
  const text = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  return new MountTable(text.split('\n').filter(Boolean).map(parsed), `/proc/${pid}/root`);
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
