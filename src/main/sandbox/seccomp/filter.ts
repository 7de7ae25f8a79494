import { BpfProgram } from './bpf';
import { DENIED, type FilteredArchitecture, JUDGED } from './syscalls';

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64, include/uapi/linux/audit.h. */
const AUDIT_ARCH: Readonly<Record<FilteredArchitecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Bit 30 of the number marks a call of the x32 interface, arch/x86/include/uapi/asm/unistd.h. */
const X32_BIT = 0x4000_0000;

// Offsets in struct seccomp_data, include/uapi/linux/seccomp.h. Arguments are 64 bits wide, the low half first.
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const ERRNO = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET, include/uapi/linux/sched.h. */
const NEW_NAMESPACES = 0x7e02_0000;

/** Puts characters into the input of a terminal, as if they had been typed there; include/uapi/asm-generic/ioctls.h. */
const TERMINAL_INPUT = [0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */];

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: what namespaces keep apart. AF_VSOCK and others reach past them. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

/** The filter for this machine; null where there is none for its processor. */
export function seccompFilter(architecture: NodeJS.Architecture = process.arch): Buffer | null {
  return architecture === 'x64' || architecture === 'arm64' ? assemble(architecture) : null;
}

/**
 * Refuses what a command in a sandbox has no use for and an escape would need. clone3 takes its flags through memory,
 * where a filter cannot look, so it answers ENOSYS and libc falls back to clone. fallocate takes a whole disk between two
 * looks at it, so it answers what it does on file systems that have no such thing, and libc and programs fall back to
 * writing.
 */
function assemble(architecture: FilteredArchitecture): Buffer {
  const program = new BpfProgram().load(ARCHITECTURE).ifEqual(AUDIT_ARCH[architecture], null, 'kill').load(NUMBER);
  if (architecture === 'x64') program.ifAnyBit(X32_BIT, 'kill');
  const names = Object.keys(JUDGED) as (keyof typeof JUDGED)[];
  for (const name of names) program.ifEqual(JUDGED[name][architecture], name);
  for (const numbers of Object.values(DENIED)) {
    const number = numbers[architecture];
    if (number !== null) program.ifEqual(number, 'deny');
  }
  program.answer(ALLOW);

  program.at('clone').load(FIRST_ARGUMENT).ifAnyBit(NEW_NAMESPACES, 'deny', 'allow');
  // The kernel takes only the low half of the request, and so do we.
  program.at('ioctl').load(SECOND_ARGUMENT);
  for (const request of TERMINAL_INPUT) program.ifEqual(request, 'deny');
  program.answer(ALLOW);
  program.at('socket').load(FIRST_ARGUMENT);
  for (const family of SOCKET_FAMILIES) program.ifEqual(family, 'allow');
  program.answer(ERRNO | EAFNOSUPPORT);

  program.at('allow').answer(ALLOW);
  program.at('deny').answer(ERRNO | EPERM);
  program.at('clone3').answer(ERRNO | ENOSYS);
  program.at('fallocate').answer(ERRNO | EOPNOTSUPP);
  return program.at('kill').answer(KILL_PROCESS).assemble();
}
