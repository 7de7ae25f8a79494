/** Commands that leave a `sleep N` behind in ways that a plain kill of the child, or of its group, does not reach. */
export const ESCAPES: [string, (n: string) => string][] = [
  ['a child', (n) => `sleep ${n} & sleep ${n}`],
  ['a grandchild in its own session', (n) => `setsid sleep ${n} & sleep ${n}`],
  ['a session in a session', (n) => `setsid sh -c "setsid sleep ${n} & sleep ${n}" & sleep ${n}`],
  ['a daemon that forked twice', (n) => `(setsid sh -c "sleep ${n} >/dev/null 2>&1 &" &); sleep ${n}`],
  ['one that ignores SIGTERM', (n) => `trap "" TERM; sleep ${n} & sleep ${n}`],
  [
    'one that ignores SIGTERM and SIGHUP elsewhere',
    (n) => `setsid sh -c "trap '' TERM HUP; sleep ${n}; sleep ${n}" & sleep ${n}`,
  ],
  ['a stopped one', (n) => `sleep ${n} & kill -STOP $!; sleep ${n}`],
  [
    'a stopped one in its own session',
    (n) => `setsid sh -c "sleep ${n} & kill -STOP \\$!; kill -STOP \\$\\$" & sleep ${n}`,
  ],
  ['one with an empty environment in its own session', (n) => `env -i setsid sleep ${n} & sleep ${n}`],
  [
    'an orphan with an empty environment that kept the output',
    (n) => `(env -i setsid sh -c "sleep ${n} &" &); sleep ${n}`,
  ],
  ['one that nohup protects', (n) => `nohup sleep ${n} >/dev/null 2>&1 & sleep ${n}`],
];
