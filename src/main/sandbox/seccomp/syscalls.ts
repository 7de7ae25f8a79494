/**
 * Numbers of the system calls that the filter names. x64: the kernel's arch/x86/entry/syscalls/syscall_64.tbl; arm64:
 * include/uapi/asm-generic/unistd.h. They are part of the kernel's stable interface and never change.
 */
export type FilteredArchitecture = 'x64' | 'arm64';

type Numbers = Readonly<Record<FilteredArchitecture, number | null>>;

const both = (number: number): Readonly<Record<FilteredArchitecture, number>> => ({ x64: number, arm64: number });

/** Refused whatever their arguments, with EPERM. null: that architecture has no such call. */
export const DENIED = {
  // Looking into, or changing, another process.
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: both(438),
  // Changing what is mounted where.
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  chroot: { x64: 161, arm64: 51 },
  open_tree: both(428),
  move_mount: both(429),
  fsopen: both(430),
  fsconfig: both(431),
  fsmount: both(432),
  fspick: both(433),
  mount_setattr: both(442),
  open_tree_attr: both(467),
  // Opens a file by a handle, past every path.
  open_by_handle_at: { x64: 304, arm64: 265 },
  // New namespaces, with new privileges in them.
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  // The kernel's keyrings are not separated by namespaces.
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  // Large parts of the kernel that a build or a test does not need, and that most escapes needed.
  bpf: { x64: 321, arm64: 280 },
  io_uring_setup: both(425),
  io_uring_enter: both(426),
  io_uring_register: both(427),
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  // The machine itself. All of these need privileges as well, which is no reason to rely on that.
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  reboot: { x64: 169, arm64: 142 },
  acct: { x64: 163, arm64: 89 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: both(443),
  syslog: { x64: 103, arm64: 116 },
  iopl: { x64: 172, arm64: null },
  ioperm: { x64: 173, arm64: null },
} as const satisfies Readonly<Record<string, Numbers>>;

/** Judged by their arguments, or answered in a way of their own. */
export const JUDGED = {
  clone: { x64: 56, arm64: 220 },
  clone3: both(435),
  ioctl: { x64: 16, arm64: 29 },
  socket: { x64: 41, arm64: 198 },
  fallocate: { x64: 285, arm64: 47 },
} as const satisfies Readonly<Record<string, Numbers>>;
