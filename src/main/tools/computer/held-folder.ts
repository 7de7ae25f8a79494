import { constants, type Stats } from 'node:fs';
import {
  type FileHandle,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { isPlaceholder } from '../../sandbox/bwrap/place-marks';
import { ToolError } from '../tool';
import { codeOf, fileError } from './file-error';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Linux: a descriptor that stands for a place, without the right to read there (open(2)). Node does not name it. */
const O_PATH = 0o10000000;
const FOLDER_FLAGS = process.platform === 'linux' ? O_PATH | O_DIRECTORY | O_NOFOLLOW : O_RDONLY;

/** A folder in a folder is held with all above it. Deeper than this nothing is that somebody made for a reason. */
const MAX_DEPTH = 200;

/** Something in a folder. `name` in bytes, as not every name is text. */
export interface Entry {
  readonly name: Buffer;
  readonly shown: string;
  readonly kind: 'folder' | 'file' | 'link' | 'pipe' | 'socket' | 'device';
}

/** A name in a folder: one part of a path, never more. */
export type Name = string | Buffer;

/**
 * A folder that is held open, so that what is done in it is done in it and nowhere else: its path may come to lead
 * elsewhere, but not the descriptor. On Linux `/proc/self/fd/N/NAME` is what the `…at` calls are in C. Elsewhere, and
 * without /proc, the path is all there is, and is looked at again when the folder is opened.
 */
export class HeldFolder {
  private constructor(
    /** Where it was when it was opened; no link on the way. */
    readonly path: string,
    private readonly handle: FileHandle | null,
    /** How many folders above it are held. */
    private readonly depth: number,
  ) {}

  /** @param path a real path. @throws ToolError where it is no folder, or is not there but elsewhere */
  static async open(path: string, shown: string): Promise<HeldFolder> {
    if (process.platform !== 'linux') return HeldFolder.unheld(path, shown, 0);
    const handle = await open(path, FOLDER_FLAGS).catch((error: unknown) => {
      throw ['ENOTDIR', 'ELOOP'].includes(codeOf(error)) ? moved(shown) : fileError(error, shown);
    });
    try {
      const where = await readlink(`/proc/self/fd/${handle.fd}`);
      if (where !== path) throw moved(shown);
      return new HeldFolder(path, handle, 0);
    } catch (error) {
      await handle.close();
      if (codeOf(error) === 'ENOENT') return HeldFolder.unheld(path, shown, 0);
      throw fileError(error, shown);
    }
  }

  private static async unheld(path: string, shown: string, depth: number): Promise<HeldFolder> {
    const where = await realpath(path).catch((error: unknown) => {
      throw fileError(error, shown);
    });
    if (where !== path) throw moved(shown);
    return new HeldFolder(path, null, depth);
  }

  /** A folder in it, not through a link. The caller closes it. @throws ToolError */
  async folder(name: Name, shown: string): Promise<HeldFolder> {
    const [path, depth] = [join(this.path, name.toString()), this.depth + 1];
    if (depth > MAX_DEPTH) throw new ToolError(`${shown} is nested too deep: more than ${MAX_DEPTH} folders in one.`);
    if (this.handle === null) return HeldFolder.unheld(path, shown, depth);
    const handle = await open(this.at(name), FOLDER_FLAGS).catch((error: unknown) => {
      throw fileError(error, shown);
    });
    return new HeldFolder(path, handle, depth);
  }

  async close(): Promise<void> {
    await this.handle?.close();
  }

  async entries(): Promise<Entry[]> {
    const found = await readdir(this.at('.'), { withFileTypes: true, encoding: 'buffer' });
    return found.map((entry) => {
      // Node's types know only names that are text.
      const name = entry.name as unknown as Buffer;
      const kind = entry.isDirectory()
        ? 'folder'
        : entry.isFile()
          ? 'file'
          : entry.isSymbolicLink()
            ? 'link'
            : entry.isFIFO()
              ? 'pipe'
              : entry.isSocket()
                ? 'socket'
                : 'device';
      return { name, shown: name.toString(), kind };
    });
  }

  /** The same for who only reads: without what but holds the place of something that is missing. */
  async listed(): Promise<Entry[]> {
    const entries = await this.entries();
    const isHeld = async ({ name, shown, kind }: Entry): Promise<boolean> =>
      (kind === 'socket' || (kind === 'folder' && shown === '.git')) && isPlaceholder(this.at(name));
    const held = await Promise.all(entries.map((entry) => isHeld(entry).catch(() => false)));
    return entries.filter((_, index) => !held[index]);
  }

  /** Whom something new in it belongs to, if not to us: an app of root works in the folders of others for them. */
  async heir(): Promise<Pick<Stats, 'uid' | 'gid'> | null> {
    if (process.geteuid?.() !== 0) return null;
    const stats = await lstat(this.at('.'));
    return stats.uid === 0 ? null : stats;
  }

  /** The thing itself; null where there is nothing. */
  async lstat(name: Name): Promise<Stats | null> {
    try {
      return await lstat(this.at(name));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  readlink(name: Name): Promise<string> {
    return readlink(this.at(name));
  }

  /** @param flags with O_NOFOLLOW or O_EXCL, as a link would lead out of the folder */
  open(name: Name, flags: number, mode?: number): Promise<FileHandle> {
    return open(this.at(name), flags, mode);
  }

  makeFolder(name: Name): Promise<void> {
    return mkdir(this.at(name));
  }

  removeFile(name: Name): Promise<void> {
    return unlink(this.at(name));
  }

  removeFolder(name: Name): Promise<void> {
    return rmdir(this.at(name));
  }

  /** Replaces what has that name. */
  rename(name: Name, to: HeldFolder, newName: Name): Promise<void> {
    return rename(this.at(name), to.at(newName));
  }

  /** Gives a file another name. @throws where something has it already */
  link(name: Name, to: HeldFolder, newName: Name): Promise<void> {
    return link(this.at(name), to.at(newName));
  }

  changeOwner(name: Name, uid: number, gid: number): Promise<void> {
    return lchown(this.at(name), uid, gid);
  }

  /** A path that leads to a name in this very folder. */
  private at(name: Name): Buffer {
    const folder = this.handle === null ? this.path : `/proc/self/fd/${this.handle.fd}`;
    return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);
  }
}

const moved = (shown: string): ToolError =>
  new ToolError(`${shown}: a folder on the way was replaced, or moved. Nothing was done.`);
