import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, type AttackKind } from './attacks';
import { runAs, USERS } from './run-as';
import type { AttackResult, Use } from './run-attacks';
import { SECRET } from './world';

const LOOKING = ['read_file', 'list_dir', 'search_files', 'run_command cwd'];

/** The uses of a path that must be refused before anyone is asked. */
function refusedUses(kind: AttackKind): (name: string) => boolean {
  switch (kind) {
    case 'outside':
      return () => true;
    case 'itself':
      return (name) => !['move from', 'delete', 'search_files'].includes(name);
    case 'protected':
    case 'readable':
      return (name) => !LOOKING.includes(name);
    case 'inside':
      return () => false;
  }
}

it('is a long list', () => {
  expect(ATTACKS.filter(({ kind }) => kind !== 'inside').length).toBeGreaterThan(100);
  expect(new Set(ATTACKS.map(({ path }) => path)).size).toBe(ATTACKS.length);
});

describe.each(USERS)('the file tools of %s', (_, uid) => {
  let results: AttackResult[];
  beforeAll(async () => {
    results = await runAs<AttackResult[]>(uid, 'run-attacks.ts', JSON.stringify(ATTACKS));
  }, 300_000);
  afterAll(() => {
    results = [];
  });

  it.each(ATTACKS.map(({ path, kind }) => [path, kind] as const))('hold against %j (%s)', (path, kind) => {
    const result = results.find((one) => one.path === path);
    expect(result?.uses.length).toBe(10);
    const uses: readonly Use[] = result?.uses ?? [];
    expect(result?.changes).toEqual([]);
    expect(uses.filter(({ said }) => said.includes(SECRET))).toEqual([]);
    const must = refusedUses(kind);
    expect(uses.filter(({ name, end }) => must(name) && end !== 'refused')).toEqual([]);
  });

  it('do what they are for with what is not out of the way', () => {
    const ends = (path: string): Record<string, string> =>
      Object.fromEntries(results.find((one) => one.path === path)?.uses.map(({ name, end }) => [name, end]) ?? []);
    expect(ends('./file')).toMatchObject({
      read_file: 'done',
      search_files: 'done',
      edit_file: 'done',
      write_file: 'done',
      'move from': 'done',
      delete: 'done',
    });
    expect(ends('...')).toMatchObject({ write_file: 'done', 'move to': 'done' });
    expect(ends('odd')).toMatchObject({ list_dir: 'done', delete: 'done' });
    expect(ends('sparse')).toMatchObject({ read_file: 'error', edit_file: 'refused', delete: 'done' });
    expect(ends('fifo')).toMatchObject({ 'move from': 'done', delete: 'done' });
    expect(ends('hard')).toMatchObject({ read_file: 'done', write_file: 'done', delete: 'done' });
    expect(ends('.git/config')).toMatchObject({ read_file: 'done', search_files: 'done' });
    expect(ends('TOP/readable/file')).toMatchObject({ read_file: 'done', search_files: 'done' });
  });
});
