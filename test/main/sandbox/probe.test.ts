import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endSurvivors, judge, type Seen } from '../../../src/main/sandbox/probe';
import { processesWith, tempFolder, uniqueSeconds, until } from './helpers';

/** A machine where everything was tried, and nothing succeeded. */
const HELD: Seen = {
  words: new Set(['can-inet', 'can-unix', 'can-abstract', 'can-vsock', 'CapEff:\t0000000000000000', 'NoNewPrivs:\t1']),
  reached: new Set(),
  hasAbstract: true,
  wrote: false,
  read: false,
  stayed: false,
  ownNetwork: 'net:[1]',
  hasKernelSettings: true,
  platform: 'linux',
};
const words = (...more: string[]) => ({ words: new Set([...HELD.words, ...more]) });
const without = (...fewer: string[]) => ({ words: new Set([...HELD.words].filter((word) => !fewer.includes(word))) });

describe('what the probe makes of what it saw', () => {
  it('is that everything holds, where everything was tried in vain', () => {
    expect(new Set(Object.values(judge(HELD)))).toEqual(new Set(['enforced']));
  });

  it.each<[keyof ReturnType<typeof judge>, Partial<Seen>]>([
    ['write-outside', { wrote: true }],
    ['read-secret', { read: true }],
    ['change-kernel', words('kernel')],
    ['loopback', { reached: new Set(['loopback']) }],
    ['host-socket', { reached: new Set(['host-socket']) }],
    ['abstract-socket', { reached: new Set(['abstract-socket']) }],
    ['vsock', words('vsock')],
    ['gain-privileges', words('namespace')],
    ['gain-privileges', without('NoNewPrivs:\t1')],
    ['outlive', { stayed: true }],
  ])('is that %s succeeds, where it did', (name, seen) => {
    const expected = { ...judge(HELD), [name]: 'not-enforced' };
    expect(judge({ ...HELD, ...seen })).toEqual(expected);
    // Whatever else cannot be known there.
    const elsewhere = { platform: 'darwin', ownNetwork: null, hasKernelSettings: false } as const;
    expect(judge({ ...HELD, ...elsewhere, ...seen })[name]).toBe('not-enforced');
  });

  it.each<[keyof ReturnType<typeof judge>, Partial<Seen>]>([
    ['change-kernel', { hasKernelSettings: false }],
    ['loopback', { ...without('can-inet'), ownNetwork: null }],
    ['host-socket', without('can-unix')],
    ['abstract-socket', { hasAbstract: false, ownNetwork: null }],
    ['vsock', without('can-vsock')],
    ['vsock', { platform: 'darwin' }],
    ['outlive', { stayed: null }],
  ])('is that nothing is known of %s, where it could not be tried or seen', (name, seen) => {
    expect(judge({ ...HELD, ...seen })[name]).toBe('unknown');
  });
});

describe('what stays behind', () => {
  it('is found, and ended', async () => {
    const seconds = uniqueSeconds();
    const child = spawn('sleep', [seconds]);
    await until(async () => (await processesWith(`sleep\0${seconds}`)).length === 1, 'it runs');
    const exit = once(child, 'exit');
    expect(await endSurvivors(seconds)).toBe(true);
    await exit;
    expect(await endSurvivors(seconds)).toBe(false);
  });

  it('is not known to be nothing where there is no /proc, and is ended there as well', async () => {
    const none = await tempFolder();
    const seconds = uniqueSeconds();
    expect(await endSurvivors(seconds, none)).toBeNull();
    const child = spawn('sleep', [seconds]);
    await until(async () => (await processesWith(`sleep\0${seconds}`)).length === 1, 'it runs');
    const exit = once(child, 'exit');
    expect(await endSurvivors(seconds, none)).toBe(true);
    await exit;
  });
});
