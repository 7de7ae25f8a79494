import { describe, expect, it } from 'vitest';
import { type Confinement, explainFailure } from '../../../src/main/sandbox/denial';
import { DEFAULT_POLICY } from '../../../src/main/sandbox/policy';
import type { ProcessEnd } from '../../../src/main/sandbox/process';

const WHOLE: Confinement = { policy: DEFAULT_POLICY, hasLimits: true, hasOwnFiles: true, usedUpCpu: false };
const exited = (exitCode: number): ProcessEnd => ({ type: 'exited', exitCode });
const signalled = (signal: string): ProcessEnd => ({ type: 'signalled', signal });

describe('a failure is explained', () => {
  it.each<[string, ProcessEnd, Partial<Confinement>, RegExp | null]>([
    ['an exit code that stands for SIGXCPU', exited(152), {}, /3600 seconds of processor time/],
    ['SIGXCPU itself', signalled('SIGXCPU'), {}, /3600 seconds of processor time/],
    ['an exit code that stands for SIGXFSZ', exited(153), {}, /larger than 4096 MiB/],
    ['SIGXFSZ itself', signalled('SIGXFSZ'), {}, /larger than 4096 MiB/],
    ['an exit code that stands for SIGSYS', exited(159), {}, /system call that the sandbox forbids/],
    ['SIGSYS itself', signalled('SIGSYS'), {}, /system call that the sandbox forbids/],
    ['SIGKILL after the processor time', signalled('SIGKILL'), { usedUpCpu: true }, /seconds of processor time/],
    ['its exit code after the processor time', exited(137), { usedUpCpu: true }, /seconds of processor time/],
    ['a failure of what started such a process', exited(2), { usedUpCpu: true }, /seconds of processor time/],
    ['SIGKILL of whatever', exited(137), {}, /^Exit code 137 usually means: ended by signal 9\.$/],
    ['a signal that the end tells itself', signalled('SIGTERM'), {}, null],
    ['any other exit code', exited(1), {}, null],
    ['success', exited(0), { usedUpCpu: true }, null],
  ])('%s', (_, end, under, note) => {
    const notes = explainFailure(end, '', { ...WHOLE, ...under });
    if (note === null) expect(notes).toEqual([]);
    else expect(notes).toEqual([expect.stringMatching(note)]);
  });

  it.each([
    ['too many open files', 'hasLimits'],
    ['File too large', 'hasLimits'],
    ['fork: Resource temporarily unavailable', 'hasLimits'],
    ['Cannot allocate memory', 'hasLimits'],
    ['CPU time limit exceeded', 'hasLimits'],
    ['No space left on device', 'hasOwnFiles'],
    ['Read-only file system', 'hasOwnFiles'],
    ['Bad system call', 'hasOwnFiles'],
  ] as const)('"%s" only where the sandbox has such a thing', (output, what) => {
    expect(explainFailure(exited(1), output, WHOLE)).toHaveLength(1);
    expect(explainFailure(exited(1), output, { ...WHOLE, [what]: false })).toEqual([]);
  });
});
