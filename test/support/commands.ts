/** A process that prints without end, with a grandchild in a session of its own; both carry the mark as an argument. */
export function endlessCommand(mark: string): string[] {
  const grandchild = 'setInterval(() => {}, 1000)';
  const spawned = `["setsid", process.execPath, "-e", ${JSON.stringify(grandchild)}, ${JSON.stringify(mark)}]`;
  const code = `
    const [program, ...args] = ${spawned};
    require('child_process').spawn(program, args, { detached: true, stdio: 'ignore' }).unref();
    setInterval(() => console.log('tick'), 50);`;
  return ['node', '-e', code, mark];
}
