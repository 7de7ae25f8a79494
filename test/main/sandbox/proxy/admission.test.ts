import { describe, expect, it, vi } from 'vitest';
import type { Resolver } from '../../../../src/main/network/look-up';
import { Admissions } from '../../../../src/main/sandbox/proxy/admission';
import { Outcomes } from '../../../../src/main/sandbox/proxy/outcomes';

const LIST = { hosts: [{ host: '*.own.example', port: null }], privateHosts: [] };
const admissions = (resolve: Resolver): Admissions => new Admissions(LIST, resolve, new Outcomes(LIST));
const place = (name: string) => ({ host: `${name}.own.example`, port: 443 });

describe('a name', () => {
  it('is looked up alone, and once for all connections that ask for it at the same time', async () => {
    const answers: (() => void)[] = [];
    const resolve = vi.fn((_name: string) => new Promise<string[]>((done) => answers.push(() => done(['1.1.1.1']))));
    const all = admissions(resolve);
    const admitted = ['a', 'b', 'a', 'c', 'b', 'a'].map((name) => all.admit(place(name)));
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      await vi.waitFor(() => expect(answers).toHaveLength(index + 1));
      expect(resolve.mock.lastCall).toEqual([`${name}.own.example`]);
      answers[index]?.();
    }
    expect(await Promise.all(admitted)).toEqual(Array(6).fill({ addresses: ['1.1.1.1'] }));
    expect(resolve).toHaveBeenCalledTimes(3);
  });

  it('is looked up anew for a connection that comes later', async () => {
    const resolve = vi.fn(async () => (resolve.mock.calls.length === 1 ? ['1.1.1.1'] : ['10.0.0.1']));
    const all = admissions(resolve);
    expect(await all.admit(place('a'))).toEqual({ addresses: ['1.1.1.1'] });
    expect(await all.admit(place('a'))).toMatchObject({ status: 403 });
  });

  it('that fails is not the end of the next one', async () => {
    const all = admissions(async (name) => {
      if (name.startsWith('a')) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
      return ['1.1.1.1'];
    });
    const [failed, fine] = await Promise.all([all.admit(place('a')), all.admit(place('b'))]);
    expect(failed).toEqual({ status: 502, words: 'a.own.example is not known' });
    expect(fine).toEqual({ addresses: ['1.1.1.1'] });
  });

  it('that still waits is not looked up any more after the end', async () => {
    let answer = (): void => undefined;
    const resolve = vi.fn(
      (_name: string) =>
        new Promise<string[]>((done) => {
          answer = () => done(['1.1.1.1']);
        }),
    );
    const all = admissions(resolve);
    const admitted = [all.admit(place('a')), all.admit(place('b'))];
    await vi.waitFor(() => expect(resolve).toHaveBeenCalledTimes(1));
    all.close();
    answer();
    await Promise.all(admitted);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it.each(['own.example', 'other.example', 'localhost', '127.0.0.1'])('that is not listed is not: %s', async (host) => {
    const resolve = vi.fn(async () => ['1.1.1.1']);
    expect(await admissions(resolve).admit({ host, port: 443 })).toMatchObject({ status: 403 });
    expect(resolve).not.toHaveBeenCalled();
  });
});
