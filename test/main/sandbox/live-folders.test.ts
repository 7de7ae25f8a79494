import { describe, expect, it, onTestFinished } from 'vitest';
import { enterLive, type LiveFolders, type Opened } from '../../../src/main/sandbox/bwrap/live-folders';

function enter(): LiveFolders {
  const folders = enterLive();
  onTestFinished(() => folders.leave());
  return folders;
}

const opened = (folder: string, { seen = [], hasMounts = () => true }: Partial<Opened> = {}): Opened => ({
  writable: [folder],
  seen,
  hasMounts,
});

describe('a command in folders that another one can write to', () => {
  it.each([
    ['the same', '/a/b', '/a/b', true],
    ['one around it', '/a/b', '/a', true],
    ['one in it', '/a/b', '/a/b/c', true],
    ['one beside it', '/a/b', '/a/bc', false],
  ])('is held: %s', (_, own, theirs, isHeld) => {
    enter().open(opened(theirs));
    const later = enter();
    expect(later.open(opened(own))).toBe(isHeld);
    expect(later.changeable()).toEqual(isHeld ? [theirs] : []);
  });

  it('is held also where it only reads there', () => {
    enter().open(opened('/a'));
    expect(enter().open(opened('/b', { seen: ['/a/tools'] }))).toBe(true);
  });

  it('is not held for one that comes later, which waits for its mounts', () => {
    let isMounted = false;
    const first = enter();
    expect(first.open(opened('/a', { hasMounts: () => isMounted }))).toBe(false);
    const second = enter();
    expect(second.open(opened('/a'))).toBe(true);
    expect(second.changeable()).toBeNull();
    isMounted = true;
    expect(second.changeable()).toEqual(['/a']);
  });

  it('waits for nobody who has left, but is held for one who was there at its beginning', () => {
    const first = enter();
    const second = enter();
    first.open(opened('/a', { hasMounts: () => false }));
    first.leave();
    expect(second.open(opened('/a'))).toBe(true);
    expect(second.changeable()).toEqual(['/a']);
  });

  it('is held for one of whom it is not known yet', () => {
    const first = enter();
    const second = enter();
    expect(second.open(opened('/a'))).toBe(true);
    expect(second.changeable()).toBeNull();
    first.open(opened('/b'));
    expect(second.changeable()).toEqual([]);
  });
});
