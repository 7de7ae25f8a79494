import { describe, expect, it } from 'vitest';
import { BpfProgram } from '../../../src/main/sandbox/seccomp/bpf';
import { seccompFilter } from '../../../src/main/sandbox/seccomp/filter';
import { DENIED, JUDGED } from '../../../src/main/sandbox/seccomp/syscalls';

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const ALLOW = 'allow';

interface Data {
  readonly arch: number;
  readonly number: number;
  readonly args?: readonly number[];
}

/** What the kernel would make of one system call: a machine for the four instructions that the filter uses. */
function judge(program: Buffer, { arch, number, args = [] }: Data): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(arch, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; at * 8 < program.length; at++) {
    const [code, yes, no] = [program.readUInt16LE(at * 8), program[at * 8 + 2] ?? 0, program[at * 8 + 3] ?? 0];
    const k = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) loaded = data.readUInt32LE(k);
    else if (code === 0x15) at += loaded === k ? yes : no;
    else if (code === 0x45) at += (loaded & k) !== 0 ? yes : no;
    else if (code === 0x06) return k === 0x7fff0000 ? ALLOW : k === 0x80000000 ? 'kill' : `errno ${k & 0xffff}`;
    else throw new Error(`There is no instruction ${code}.`);
  }
  throw new Error('It runs off its end.');
}

describe.each(['x64', 'arm64'] as const)('the filter for %s', (architecture) => {
  const program = seccompFilter(architecture) ?? Buffer.alloc(0);
  const arch = AUDIT[architecture];
  const answer = (number: number, ...args: number[]): string => judge(program, { arch, number, args });

  it.each(Object.entries(DENIED).filter(([, numbers]) => numbers[architecture] !== null))(
    'refuses %s',
    (_, numbers) => {
      expect(answer(numbers[architecture] ?? -1)).toBe('errno 1');
    },
  );

  it('lets everything else pass: every other number up to 600', () => {
    const judged = new Set(
      [...Object.values(DENIED), ...Object.values(JUDGED)].map((numbers) => numbers[architecture]),
    );
    for (let number = 0; number < 600; number++) if (!judged.has(number)) expect(answer(number)).toBe(ALLOW);
  });

  it('makes libc fall back from clone3, and judges clone by its flags', () => {
    expect(answer(JUDGED.clone3[architecture])).toBe('errno 38');
    expect(answer(JUDGED.clone[architecture], 0x01200011)).toBe(ALLOW);
    expect(answer(JUDGED.clone[architecture], 0x003d0f00)).toBe(ALLOW);
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(answer(JUDGED.clone[architecture], flag | 17)).toBe('errno 1');
    }
  });

  it('makes programs write where they would only reserve a disk', () => {
    expect(answer(JUDGED.fallocate[architecture], 3, 0, 0, 1)).toBe('errno 95');
  });

  it('refuses to type into a terminal, whatever stands in the high half', () => {
    for (const request of [0x5412, 0x541c, 0x700005412]) {
      expect(answer(JUDGED.ioctl[architecture], 0, request)).toBe('errno 1');
    }
    expect(answer(JUDGED.ioctl[architecture], 0, 0x5413)).toBe(ALLOW);
  });

  it('knows only the socket families that namespaces keep apart', () => {
    for (const family of [1, 2, 10, 16]) expect(answer(JUDGED.socket[architecture], family)).toBe(ALLOW);
    for (const family of [0, 3, 17, 38, 40, 44]) expect(answer(JUDGED.socket[architecture], family)).toBe('errno 97');
  });

  it('ends a process that speaks for another architecture', () => {
    expect(judge(program, { arch: 0x40000003, number: 1 })).toBe('kill');
    expect(judge(program, { arch: architecture === 'x64' ? AUDIT.arm64 : AUDIT.x64, number: 1 })).toBe('kill');
    if (architecture === 'x64') expect(answer(0x40000000 | 39)).toBe('kill');
  });
});

describe('the filter', () => {
  it('does not exist for other processors', () => {
    expect(seccompFilter('ia32')).toBeNull();
  });

  it('is not assembled with a jump to nowhere, back, or too far', () => {
    expect(() => new BpfProgram().ifEqual(1, 'nowhere').answer(0).assemble()).toThrow('nowhere');
    expect(() => new BpfProgram().at('back').ifEqual(1, 'back').assemble()).toThrow('back');
    const far = new BpfProgram().ifEqual(1, 'far');
    for (let count = 0; count < 256; count++) far.answer(0);
    expect(() => far.at('far').answer(0).assemble()).toThrow('far');
  });
});
