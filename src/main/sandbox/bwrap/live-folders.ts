import { covers } from '../paths';

/** One command: from before the first look at its folders until nothing of it is left. */
interface Stay {
  /** null until it is known. */
  opened: Opened | null;
}

export interface Opened {
  /** Real paths of what it can write to. */
  readonly writable: readonly string[];
  /** Paths of what else it sees. */
  readonly seen: readonly string[];
  /** Whether its mounts are made: nothing that is done to a folder from now on leads them elsewhere. */
  readonly hasMounts: () => boolean;
}

const live = new Set<Stay>();

/** What one command has to know about the others that could change its folders while they are mounted. */
export interface LiveFolders {
  /** @returns whether another one may change any of this meanwhile. Whoever comes later waits for this one. */
  open(opened: Opened): boolean;
  /** The folders in which others may have changed something; null until these have their mounts themselves. */
  changeable(): readonly string[] | null;
  /** Nothing of it is left. */
  leave(): void;
}

/**
 * Enters a command among the live ones. Of two that share folders the later one is held, before it does anything, until
 * the mounts of the earlier one are made and its own were checked. One that is alone need not be held, which costs time.
 */
export function enterLive(): LiveFolders {
  const stay: Stay = { opened: null };
  // Also those that end before it is known what this one opens.
  const others = [...live];
  live.add(stay);
  const isDone = (other: Stay): boolean => !live.has(other);
  return {
    open(opened) {
      stay.opened = opened;
      return others.some((other) => (other.opened === null ? !isDone(other) : shared(stay, other).length > 0));
    },
    changeable() {
      const isOpen = others.every((other) => {
        if (isDone(other)) return true;
        return other.opened !== null && (shared(stay, other).length === 0 || other.opened.hasMounts());
      });
      return isOpen ? others.flatMap((other) => shared(stay, other)) : null;
    },
    leave: () => void live.delete(stay),
  };
}

/** The folders of another one in which it could change what one sees. */
function shared({ opened: own }: Stay, { opened: theirs }: Stay): string[] {
  if (own === null || theirs === null) return [];
  const isShared = (folder: string): boolean =>
    own.writable.some((path) => covers(path, folder) || covers(folder, path)) ||
    own.seen.some((path) => covers(folder, path));
  return theirs.writable.filter(isShared);
}
